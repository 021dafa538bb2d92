const tags = ['Webhooks'];

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  create: {
    tags,
    operationId: 'createWebhook',
    summary: 'Create a webhook endpoint',
    description:
      'Sends the events from now on to a URL. The response has the secret that signs the requests; no later response has it. ' +
      'A company has at most 20 endpoints.',
  },
  list: {
    tags,
    operationId: 'listWebhooks',
    summary: 'List the webhook endpoints',
    description: 'All endpoints of the company, oldest first.',
  },
  get: { tags, operationId: 'getWebhook', summary: 'Show a webhook endpoint' },
  update: {
    tags,
    operationId: 'updateWebhook',
    summary: 'Change a webhook endpoint',
    description:
      'Omitted fields keep their value. An endpoint that becomes enabled receives the events from then on; a replay sends older ones.',
  },
  delete: { tags, operationId: 'deleteWebhook', summary: 'Delete a webhook endpoint' },
  rotate: {
    tags,
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook endpoint a new secret',
    description:
      'The old secret signs too until the end of the overlap. Another rotation meanwhile ends the oldest secret.',
  },
  test: {
    tags,
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description: 'Sends `webhook.test` in the background. A disabled endpoint is 409.',
  },
  deliveries: {
    tags,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Those of the last 30 days, newest first.',
  },
  replay: {
    tags,
    operationId: 'replayWebhookEvents',
    summary: 'Deliver events again',
    description:
      'One event by `sequence`, or every selected event from a time on by `since`. A delivery has the same `webhook-id` as before. ' +
      'An unknown `sequence` is 404, a disabled endpoint 409.',
  },
};
