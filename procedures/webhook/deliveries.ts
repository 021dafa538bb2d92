import type { z } from 'zod';
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
import type { Context } from '../core/context.ts';
import { whileUnfrozen } from '../core/frozen.ts';
import { EXAMPLE_WEBHOOKS } from '../document/examples.ts';
import { readPage } from '../schemas/cursor.ts';
import { readWebhook } from './endpoints.ts';
import type { DeliveryQuery, WebhookReplay, WebhookTest } from './schemas.ts';

/** A page of the deliveries of an endpoint, newest first. @throws ApiError 404 */
export async function listDeliveries(session: Session, { webhook, ...request }: z.infer<typeof DeliveryQuery>) {
  const { uniqueId } = await readWebhook(session, webhook);
  const { rows, nextCursor } = await readPage(session, {
    list: ['webhook.deliveries', { webhook: uniqueId }],
    request,
    fetch: ([before = null], limit) => session.run(pageDeliveries, { webhook, before, limit }),
    positionOf: (row) => [row.id],
  });
  return { items: rows.map(toDeliveryRecord), nextCursor };
}

/** Queues `webhook.test`, or the example of another type. @throws ApiError 404, 409 for a disabled endpoint */
export async function sendTest(
  { session, requestId }: Pick<Context, 'requestId'> & { session: Session },
  { webhook: id, type }: z.infer<typeof WebhookTest>,
) {
  const webhook = await requireEnabled(session, id);
  const { user, key } = session.principal;
  const messageId = newUniqueId();
  const test: EventRecord = {
    uniqueId: messageId,
    occurredAt: new Date().toISOString(),
    actor: user,
    apiKey: key,
    action: TEST_TYPE,
    resource: { type: 'webhook', uniqueId: webhook },
    parent: null,
    changes: {},
    requestId,
  };
  const event = type === TEST_TYPE ? test : EXAMPLE_WEBHOOKS.get(type)?.data;
  if (event === undefined) throw new Error(`${type}: expected an example`);
  const delivery = { webhook, messageId, type, event };
  await whileUnfrozen(session, (inside) => inside.run(insertTestDelivery, delivery));
}

/** Queues events again. @throws ApiError 404 for an unknown endpoint or sequence, 409 for a disabled endpoint */
export async function replay(session: Session, { webhook: id, sequence, since }: z.infer<typeof WebhookReplay>) {
  if ((sequence === undefined) === (since === undefined))
    throw new ApiError('invalid_request', 'sequence: expected either sequence or since');
  const webhook = await requireEnabled(session, id);
  await whileUnfrozen(session, async (inside) => {
    if (since !== undefined) found(await inside.first(replaySince, { webhook, since }), 'webhook');
    else if (sequence !== undefined) found(await inside.first(replayEvent, { webhook, sequence }), 'sequence');
  });
}

async function requireEnabled(session: Session, id: string): Promise<string> {
  const { uniqueId, enabled } = await readWebhook(session, id);
  if (!enabled) throw new ApiError('conflict', 'webhook: is disabled');
  return uniqueId;
}
