import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { maxLength } from '../../entities/fields/schemas.ts';
import type { StoredHeaders } from '../../entities/webhook/endpoint.ts';
import { MAX_WEBHOOK_HEADERS } from '../../entities/webhook/webhook.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../entities/webhook/secret.ts';
import { webhookHeadersPlace } from '../core/encryption.ts';
import type { Encryption } from '../core/encryption.ts';

const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 2048;

/** A token. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Printable ASCII without a space at an end: HTTP drops such a space, and clients disagree about other characters. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** Headers of the connection, of the body and of the signature. Only the service sets them. */
const RESERVED = /^(?:host|content-.*|transfer-encoding|connection|keep-alive|expect|upgrade|te|trailer|webhook-.*)$/i;

/** Documented bounds of the name of a header. */
export const headerNameBounds = { maxLength: MAX_NAME_LENGTH, pattern: NAME.source };
export const EXAMPLE_HEADER_NAMES = ['Authorization'];
const EXAMPLE_HEADERS = { Authorization: 'Bearer 5f0c2a91' };

const EXPECTED_VALUE = `expected 1 to ${MAX_VALUE_LENGTH} printable ASCII characters without a space at an end`;

/** The error of a name; undefined if it is valid. */
function problemOf(name: string, isRepeated: boolean): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH)
    return `expected the name of an HTTP header of at most ${MAX_NAME_LENGTH} characters`;
  if (RESERVED.test(name)) return 'is set by the service, expected another header';
  return isRepeated ? 'expected only once, in whatever case' : undefined;
}

/** An object as it is. `z.record` drops `__proto__` without an error. */
const objectInput = z
  .custom<Record<string, string>>(
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__'),
    'expected an object of header names and values',
  )
  .register(z.globalRegistry, {
    description:
      'Headers of each request, such as `Authorization`; a change replaces all. Values are stored encrypted and in no response.',
    examples: [EXAMPLE_HEADERS],
  });
// Belongs to this instance: `meta` and other methods that copy the schema would lose it.
objectInput._zod.toJSONSchema = () => ({
  type: 'object',
  maxProperties: MAX_WEBHOOK_HEADERS,
  propertyNames: { type: 'string', ...headerNameBounds },
  additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_LENGTH, pattern: VALUE.source },
});

/** Headers of each request to an endpoint. Values are secret, so no error has one. */
export const headersInput = objectInput.pipe(
  z
    .record(
      z.string(),
      z.string(EXPECTED_VALUE).check(maxLength(MAX_VALUE_LENGTH, EXPECTED_VALUE), z.regex(VALUE, EXPECTED_VALUE)),
    )
    .check(({ value, issues }) => {
      const names = Object.keys(value);
      const report = (message: string, path: string[]) =>
        issues.push({ code: 'custom', input: undefined, message, path });
      if (names.length > MAX_WEBHOOK_HEADERS) report(`expected at most ${MAX_WEBHOOK_HEADERS} headers`, []);
      const known = new Set<string>();
      for (const name of names) {
        const problem = problemOf(name, known.has(name.toLowerCase()));
        if (problem !== undefined) report(problem, [name]);
        known.add(name.toLowerCase());
      }
    }),
);

type Headers = z.output<typeof headersInput>;

/** Encrypts the headers of an endpoint. @param webhook in lower case */
export function storedHeaders(encryption: Encryption, webhook: string, headers: Headers): StoredHeaders {
  const names = Object.keys(headers);
  if (names.length === 0) return { headers: names, encryptedHeaders: null };
  const encryptedHeaders = encryption.encrypt(JSON.stringify(headers), webhookHeadersPlace(webhook));
  return { headers: names, encryptedHeaders };
}

/** Decrypts the headers of an endpoint. @throws Error without their key */
export const readHeaders = (encryption: Encryption, webhook: string, stored: string | null): Headers =>
  stored === null ? {} : headersInput.parse(JSON.parse(encryption.decrypt(stored, webhookHeadersPlace(webhook))));

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
