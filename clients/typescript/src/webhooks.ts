import { WebhookError } from './errors.ts';
import type { webhooks } from './api.ts';

const TOLERANCE_SECONDS = 300;

type Bodies = { [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'] };

/** Type of a webhook event, for example `task.update`. */
export type WebhookEventType = keyof Bodies;

/**
 * Body of a webhook. Skip a `webhook-id` that you have processed, and sort by `sequence`; it is null for `webhook.test` and `audit.checkpoint`.
 * `type` narrows `data.changes`. A newer server may send further types, so ignore those that you do not know.
 */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = Bodies[Type];

/**
 * Verifies the signature of a webhook (Standard Webhooks 1.0) and returns its event.
 * @param body request body exactly as received, before any parsing
 * @param headers headers of the Fetch API or of `node:http`, with `webhook-id`, `webhook-timestamp` and `webhook-signature`
 * @param secrets secret of the endpoint (`whsec_…`), or both during a rotation
 * @throws WebhookError if no signature is valid, or the timestamp differs from now by more than 5 minutes
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | readonly string[] | undefined>,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const header = (name: string) => {
    const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
    const value = given.find(([key]) => key.toLowerCase() === name)?.[1];
    if (typeof value !== 'string' || value === '') throw new WebhookError(`${name}: expected one value`);
    return value;
  };
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'));
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('webhook-timestamp: expected seconds since 1970');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookError('webhook-timestamp: differs from now by more than 5 minutes');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [secrets].flat()) {
    const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
    if (bytes.length === 0) throw new TypeError('secrets: expected `whsec_` and base64');
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      // WebCrypto compares in constant time.
      if (!(await crypto.subtle.verify('HMAC', key, decodeBase64(signature.slice('v1,'.length)), signed))) continue;
      const event: WebhookEvent = JSON.parse(text);
      return event;
    }
  }
  throw new WebhookError('webhook-signature: no valid signature');
}

/** Decodes base64. @returns no bytes if the text is malformed */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
