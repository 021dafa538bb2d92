import { operationTexts } from '../document/resource-texts.ts';

const text = operationTexts('Webhooks');

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  create: text(
    'createWebhook',
    'Create a webhook endpoint',
    'Sends the events from now on to a URL. The response has the secret that signs the requests; no later response has it. ' +
      'A company has at most 20 endpoints.',
  ),
  list: text('listWebhooks', 'List the webhook endpoints', 'All endpoints of the company, oldest first.'),
  get: text('getWebhook', 'Show a webhook endpoint'),
  update: text(
    'updateWebhook',
    'Change a webhook endpoint',
    'Omitted fields keep their value. An endpoint that becomes enabled receives the events from then on; a replay sends older ones.',
  ),
  delete: text('deleteWebhook', 'Delete a webhook endpoint'),
  rotate: text(
    'rotateWebhookSecret',
    'Give a webhook endpoint a new secret',
    'The old secret signs too until the end of the overlap. Another rotation meanwhile ends the oldest secret.',
  ),
  test: text(
    'testWebhook',
    'Send a test event',
    'Sends `webhook.test`, or the example of the given `type`, in the background. A disabled endpoint is 409.',
  ),
  deliveries: text(
    'listWebhookDeliveries',
    'List the deliveries of a webhook endpoint',
    'Those of the last 30 days, newest first.',
  ),
  replay: text(
    'replayWebhookEvents',
    'Deliver events again',
    'One event by `sequence`, or every selected event from a time on by `since`. A delivery has the same `webhook-id` as before. ' +
      'An unknown `sequence` is 404, a disabled endpoint 409.',
  ),
};
