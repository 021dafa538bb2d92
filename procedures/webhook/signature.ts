import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../../entities/webhook/secret.ts';

const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and 32 random bytes in base64. https://www.standardwebhooks.com */
export const newWebhookSecret = (): string => WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Headers of a signed request, per Standard Webhooks 1.0. @param secrets each signs the request */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: Date; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const seconds = Math.floor(timestamp.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}
