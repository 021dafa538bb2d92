import type { oas31 } from 'zod-openapi';
import { isFullObject } from '../../entities/audit/changes.ts';
import { CHECKPOINT_TYPE, TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { EVENT_TYPES } from '../../entities/webhook/event-type.ts';
import { EXAMPLE_WEBHOOKS } from '../../procedures/document/examples.ts';
import { eventSchemaName } from '../../procedures/webhook/event-schemas.ts';
import type { DocumentedHeader } from './documented-header.ts';
import { textSchema } from './schemas.ts';

/** Group of the requests that the server sends. */
export const WEBHOOK_EVENTS_TAG = {
  name: 'Webhook events',
  description: 'Requests that the server sends to your webhook endpoints, one for each event.',
};

const HEADERS: Readonly<Record<string, DocumentedHeader>> = {
  'webhook-id': {
    description: 'Id of the event, the same on each attempt and replay. Skip an id that you have processed.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '019a2b65-803e-7a11-9c2d-5e6f70818293',
  },
  'webhook-timestamp': {
    description: 'Time of the attempt in seconds since 1970. Reject a request that is older than 5 minutes.',
    schema: { type: 'string', pattern: '^[0-9]{10}$', maxLength: 10 },
    example: '1795256102',
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; during a rotation one for each secret, separated by a space (Standard Webhooks).',
    schema: textSchema(128),
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

/** Builds the shared header parameters of webhooks. */
export const webhookHeaderComponents = (): Record<string, oas31.ParameterObject> =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, { name, in: 'header', required: true, ...header }]),
  );

const RESPONSES: oas31.ResponsesObject = {
  '2XX': { description: 'The event was received' },
  410: { description: 'Disables the endpoint' },
  default: { description: 'The request is sent again later' },
};

/** Builds the requests that the server sends: one for each event type. */
export const webhookOperations = (): Record<string, oas31.PathItemObject> =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOperation(type) }]));

function webhookOperation(type: string): oas31.OperationObject {
  const name = eventSchemaName(type);
  return {
    tags: [WEBHOOK_EVENTS_TAG.name],
    operationId: `receive${name}`,
    summary: type,
    description: descriptionOf(type),
    security: [],
    parameters: Object.keys(HEADERS).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          example: EXAMPLE_WEBHOOKS.get(type),
        },
      },
    },
    responses: RESPONSES,
  };
}

function descriptionOf(type: string): string {
  if (type === TEST_TYPE) return 'Sent to test an endpoint. It is in neither the audit log nor the change feed.';
  if (type === CHECKPOINT_TYPE)
    return 'The signed head of the audit log, after each hour in which something happened. Only its own name in `events` selects it.';
  const changes = isFullObject(type) ? 'the whole object' : '`{from, to}` of each changed field';
  return `An audit event. \`data.changes\` has ${changes}.`;
}
