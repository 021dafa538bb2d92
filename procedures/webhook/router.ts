import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { EventRecord } from '../../entities/audit/event-statements.ts';
import {
  insertTestDelivery,
  pageDeliveries,
  replayEvent,
  replaySince,
  toDeliveryRecord,
} from '../../entities/webhook/delivery-statements.ts';
import { TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import type { Context } from '../core/context.ts';
import { whileUnfrozen } from '../core/frozen.ts';
import { EXAMPLE_WEBHOOKS } from '../document/examples.ts';
import { readPage } from '../schemas/cursor.ts';
import { operationTexts } from '../document/resource-texts.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  requirePublicUrl,
  rotateSecret,
} from './endpoints.ts';
import {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  SecretOutput,
  WebhookChanges,
  WebhookId,
  WebhookOutput,
  WebhookPage,
  WebhookQuery,
  WebhookReplay,
  WebhookRotation,
  WebhookSecretOutput,
  WebhookTest,
} from './schemas.ts';

const text = operationTexts('Webhooks');

/** Texts of the operations in the OpenAPI document. */
const openapi = {
  create: text(
    'createWebhook',
    'Create a webhook endpoint',
    'Sends all events from now on to a URL. The response has the secret that signs the requests, and no later response has it. ' +
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
    'The old secret also signs requests until the overlap ends. Another rotation before that ends the oldest secret.',
  ),
  test: text(
    'testWebhook',
    'Send a test event',
    'Sends `webhook.test`, or the example of the given `type`, in the background. The endpoint must be enabled (else 409).',
  ),
  deliveries: text(
    'listWebhookDeliveries',
    'List the deliveries of a webhook endpoint',
    'The deliveries of the last 30 days, newest first.',
  ),
  replay: text(
    'replayWebhookEvents',
    'Deliver events again',
    'Sends one event (`sequence`) or every selected event since a time (`since`) again, with the same `webhook-id` as before. ' +
      'An unknown `sequence` is 404. The endpoint must be enabled (else 409).',
  ),
};

const BASE_PATH = '/external/webhook';
const ITEM_PATH = `${BASE_PATH}/{webhook}` as const;

/** Endpoints are on other servers. */
const mcp = { isOpenWorld: true } as const;
const reader = companyProcedure('webhook:read', 'audit:read').meta({ mcp });
const manager = companyProcedure('webhook:manage', 'audit:read').meta({ mcp });

/** The webhook endpoints of the caller's company. Contract, section 14. */
export const webhook = router({
  create: manager
    .meta({
      openapi: { method: 'POST', path: `${BASE_PATH}/new`, ...openapi.create },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item`, secretField: 'secret' },
      beforeTransaction: requirePublicUrl,
    })
    .input(NewWebhook)
    .output(WebhookSecretOutput)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),

  list: reader
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list } })
    .input(WebhookQuery.optional())
    .output(WebhookPage)
    .query(({ ctx, input = {} }) => listWebhooks(ctx, input)),

  get: reader
    .meta({ openapi: { method: 'GET', path: `${ITEM_PATH}/item`, ...openapi.get } })
    .input(WebhookId)
    .output(WebhookOutput)
    .query(({ ctx, input }) => readWebhook(ctx.session, input.webhook)),

  update: manager
    .meta({
      openapi: { method: 'PATCH', path: `${ITEM_PATH}/edit`, ...openapi.update },
      beforeTransaction: requirePublicUrl,
    })
    .input(WebhookChanges)
    .output(WebhookOutput)
    .mutation(({ ctx, input }) => changeWebhook(ctx, input)),

  rotate: manager
    .meta({
      openapi: { method: 'POST', path: `${ITEM_PATH}/rotate`, ...openapi.rotate },
      response: { kind: 'json', secretField: 'secret' },
    })
    .input(WebhookRotation)
    .output(SecretOutput)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: manager
    .meta({
      mcp: { ...mcp, isAdditive: true },
      openapi: { method: 'POST', path: `${ITEM_PATH}/test`, ...openapi.test },
      response: { kind: 'json', status: 202 },
    })
    .input(WebhookTest)
    .output(z.void())
    .mutation(({ ctx, input }) => sendTest(ctx, input)),

  deliveries: reader
    .meta({ openapi: { method: 'GET', path: `${ITEM_PATH}/delivery/list`, ...openapi.deliveries } })
    .input(DeliveryQuery)
    .output(DeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx.session, input)),

  replay: manager
    .meta({
      mcp: {
        ...mcp,
        isAdditive: true,
        description: 'One event, or all selected events since a time, with the same `webhook-id` as before.',
      },
      openapi: { method: 'POST', path: `${ITEM_PATH}/replay`, ...openapi.replay },
      response: { kind: 'json', status: 202 },
    })
    .input(WebhookReplay)
    .output(z.void())
    .mutation(({ ctx, input }) => replay(ctx.session, input)),

  delete: manager
    .meta({ openapi: { method: 'DELETE', path: `${ITEM_PATH}/delete`, ...openapi.delete } })
    .input(WebhookId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeWebhook(ctx, input.webhook)),
});

/** A page of the deliveries of an endpoint, newest first. @throws ApiError 404 */
async function listDeliveries(session: Session, { webhook: id, ...request }: z.infer<typeof DeliveryQuery>) {
  const { uniqueId } = await readWebhook(session, id);
  const { rows, nextCursor } = await readPage(session, {
    list: ['webhook.deliveries', { webhook: uniqueId }],
    request,
    fetch: ([before = null], limit) => session.run(pageDeliveries, { webhook: id, before, limit }),
    positionOf: (row) => [row.id],
  });
  return { items: rows.map(toDeliveryRecord), nextCursor };
}

/** Queues `webhook.test`, or the example of another type. @throws ApiError 404, 409 for a disabled endpoint */
async function sendTest(
  { session, requestId }: Pick<Context, 'requestId'> & { session: Session },
  { webhook: id, type }: z.infer<typeof WebhookTest>,
) {
  const endpoint = await requireEnabled(session, id);
  const { user, key } = session.principal;
  const messageId = newUniqueId();
  const test: EventRecord = {
    uniqueId: messageId,
    occurredAt: new Date().toISOString(),
    actor: user,
    apiKey: key,
    action: TEST_TYPE,
    resource: { type: 'webhook', uniqueId: endpoint },
    parent: null,
    changes: {},
    requestId,
  };
  const event = type === TEST_TYPE ? test : EXAMPLE_WEBHOOKS.get(type)?.data;
  if (event === undefined) throw new Error(`${type}: expected an example`);
  const delivery = { webhook: endpoint, messageId, type, event };
  await whileUnfrozen(session, (inside) => inside.run(insertTestDelivery, delivery));
}

/** Queues events again. @throws ApiError 404 for an unknown endpoint or sequence, 409 for a disabled endpoint */
async function replay(session: Session, { webhook: id, sequence, since }: z.infer<typeof WebhookReplay>) {
  if ((sequence === undefined) === (since === undefined))
    throw new ApiError('invalid_request', 'sequence: expected either sequence or since');
  const endpoint = await requireEnabled(session, id);
  await whileUnfrozen(session, async (inside) => {
    if (since !== undefined) found(await inside.first(replaySince, { webhook: endpoint, since }), 'webhook');
    else if (sequence !== undefined)
      found(await inside.first(replayEvent, { webhook: endpoint, sequence }), 'sequence');
  });
}

async function requireEnabled(session: Session, id: string): Promise<string> {
  const { uniqueId, enabled } = await readWebhook(session, id);
  if (!enabled) throw new ApiError('conflict', 'webhook: is disabled');
  return uniqueId;
}
