import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  lockWebhooks,
  pageWebhooks,
  rotateWebhook,
  toWebhookRecord,
  updateWebhook,
} from '../../entities/webhook/endpoint.ts';
import { HEADERS_VERSION, MAX_WEBHOOKS } from '../../entities/webhook/webhook.ts';
import type { Context } from '../core/context.ts';
import { webhookSecretPlace } from '../core/encryption.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import type { Services } from '../core/services.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { readHeaders, storedHeaders, newWebhookSecret } from './headers.ts';
import type { NewWebhook, WebhookChanges, WebhookRotation } from './schemas.ts';

/** A context whose authorization found a company. */
type WebhookContext = Pick<Context, 'services' | 'ifMatch'> & { session: Session };

const NAME = 'a webhook endpoint';

/** Checks the URL of an input, if it has one. @throws ApiError 422 */
export async function requirePublicUrl(services: Services, { url }: { url?: unknown }): Promise<void> {
  if (typeof url === 'string') await services.requirePublicUrl('url', url);
}

/** Creates an endpoint. @returns it with its secret */
export async function createWebhook(
  ctx: WebhookContext,
  { url, events = null, description = '', headers = {} }: z.infer<typeof NewWebhook>,
) {
  const services = servicesOf(ctx);
  const encryption = requireEncryption(services);
  await requirePublicUrl(services, { url });
  const uniqueId = newUniqueId();
  const secret = newWebhookSecret();
  const encrypted = {
    secret: encryption.encrypt(secret, webhookSecretPlace(uniqueId)),
    ...storedHeaders(encryption, uniqueId, headers),
  };
  const row = await ctx.session.transaction(async (session) => {
    await requireHeadersVersion(session, encrypted.encryptedHeaders);
    await session.run(lockWebhooks, {});
    return session.first(insertWebhook, { uniqueId, url, events, description, ...encrypted });
  });
  if (row === undefined)
    throw new ApiError('unprocessable', `webhooks: a company has at most ${MAX_WEBHOOKS} endpoints`);
  return { ...toWebhookRecord(row), secret };
}

/** An older process would send requests without the headers. @throws ApiError 503 while one runs */
async function requireHeadersVersion(session: Session, encrypted: string | null): Promise<void> {
  if (encrypted !== null) await session.requireVersion(HEADERS_VERSION);
}

export async function listWebhooks({ session }: WebhookContext, request: PageRequest) {
  const { rows, nextCursor } = await readPage(session, {
    list: ['webhook.list', {}],
    request,
    fetch: ([after = null], limit) => session.run(pageWebhooks, { after, limit }),
    positionOf: (row) => [row.uniqueId],
  });
  return { items: rows.map(toWebhookRecord), nextCursor };
}

/** Reads an endpoint. @throws ApiError 404 */
export const readWebhook = async (session: Session, webhook: string) =>
  toWebhookRecord(found(isUniqueId(webhook) ? await session.first(findWebhook, { webhook }) : undefined, 'webhook'));

/** Changes an endpoint. @throws ApiError 409 if it cannot be enabled, because its key is revoked */
export async function changeWebhook(
  ctx: WebhookContext,
  { webhook, url, events, description, headers, enabled }: z.infer<typeof WebhookChanges>,
) {
  requireNoIfMatch(ctx, NAME);
  const services = servicesOf(ctx);
  await requirePublicUrl(services, { url });
  return ctx.session.transaction(async (session) => {
    const before = found(isUniqueId(webhook) ? await session.first(lockWebhook, { webhook }) : undefined, 'webhook');
    if (enabled === true && before.hasEnded)
      throw new ApiError(
        'conflict',
        'enabled: the API key that created the endpoint is revoked; create another endpoint',
      );
    const changed = headers && changedHeaders(services, webhook.toLowerCase(), before.encryptedHeaders, headers);
    await requireHeadersVersion(session, changed?.encryptedHeaders ?? null);
    const changes = {
      webhook,
      url: url ?? null,
      events: events ?? null,
      eventsGiven: events !== undefined,
      description: description ?? null,
      headers: changed?.headers ?? [],
      encryptedHeaders: changed?.encryptedHeaders ?? null,
      headersGiven: changed !== undefined,
      enabled: enabled ?? null,
    };
    return toWebhookRecord(await session.one(updateWebhook, changes));
  });
}

/** @returns undefined for the headers that the endpoint has: each encryption of them is another text */
function changedHeaders(services: Services, webhook: string, before: string | null, headers: Record<string, string>) {
  const encryption = requireEncryption(services);
  try {
    if (isDeepStrictEqual(readHeaders(encryption, webhook, before), headers)) return undefined;
  } catch {
    // Their key is lost, so only new headers help.
  }
  return storedHeaders(encryption, webhook, headers);
}

/** Deletes an endpoint. @throws ApiError 404 */
export async function removeWebhook(ctx: WebhookContext, webhook: string): Promise<void> {
  requireNoIfMatch(ctx, NAME);
  found(isUniqueId(webhook) ? await ctx.session.first(deleteWebhook, { webhook }) : undefined, 'webhook');
}

/** Gives an endpoint a new secret. @throws ApiError 404 */
export async function rotateSecret(
  ctx: WebhookContext,
  { webhook, overlapSeconds }: z.infer<typeof WebhookRotation>,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret();
  const encrypted = requireEncryption(servicesOf(ctx)).encrypt(secret, webhookSecretPlace(webhook.toLowerCase()));
  const input = { webhook, overlapSeconds, secret: encrypted };
  found(isUniqueId(webhook) ? await ctx.session.first(rotateWebhook, input) : undefined, 'webhook');
  return { secret };
}
