import type { ExportedJWKSCache, JWK, JWKS } from 'openid-client';
import { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';

/** Seconds for which keys are used. A key that left the key set of the provider is rejected after them. */
const MAX_AGE_SECONDS = 60;
/** Milliseconds between two requests because of a token whose key is unknown. Each forged token would cause one. */
const UNKNOWN_KEY_INTERVAL_MS = 5000;
const MAX_KEYS = 50;

/** Members of public keys that verify signatures. Keys may have others, such as certificates. */
const MEMBERS = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const;

/** Members that only private and symmetric keys have. https://www.rfc-editor.org/rfc/rfc7518#section-6 */
const SECRET_MEMBERS = ['d', 'k'];

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Keys with which a provider signs. https://www.rfc-editor.org/rfc/rfc7517 */
export class ProviderKeys {
  readonly #maxAgeMs: number;
  #keys: JWKS = { keys: [] };
  #requestedAt = -Infinity;
  #unknownKeyAt = -Infinity;

  /** @param maxAgeSeconds seconds for which keys are used */
  constructor(maxAgeSeconds = MAX_AGE_SECONDS) {
    this.#maxAgeMs = maxAgeSeconds * 1000;
  }

  /**
   * Keys for the library, unless they are too old. It requests keys again for a token with an unknown key only if it had
   * the others for a minute, so that is the age here.
   */
  cached(): ExportedJWKSCache | undefined {
    return this.#isFresh() ? { jwks: this.#keys, uat: Math.floor(Date.now() / 1000) - 60 } : undefined;
  }

  /**
   * Requests the keys, for a first token or for one whose key is unknown. Returns the keys that are there if it did the latter
   * a moment ago.
   */
  async request(send: () => Promise<Response>): Promise<Response> {
    const now = performance.now();
    if (this.#isFresh()) {
      if (now < this.#unknownKeyAt + UNKNOWN_KEY_INTERVAL_MS) return Response.json(this.#keys);
      this.#unknownKeyAt = now;
    }
    const response = await send();
    if (response.status !== 200) return response;
    const { data } = KeySet.safeParse(await response.json());
    if (data === undefined) throw new Error('keys: expected a list of keys');
    // Whoever reads the set could sign tokens of anybody.
    if (data.keys.some((key) => SECRET_MEMBERS.some((name) => Object.hasOwn(key, name))))
      throw new ApiError(
        'unprocessable',
        'The identity provider publishes a private key in its set of keys. Ask an admin to replace the key.',
      );
    this.#keys = { keys: data.keys.filter(isForSignatures).slice(0, MAX_KEYS).map(toPublicKey) };
    this.#requestedAt = now;
    return Response.json(this.#keys);
  }

  #isFresh(): boolean {
    return performance.now() < this.#requestedAt + this.#maxAgeMs;
  }
}

const isForSignatures = ({ use, key_ops: operations }: Record<string, unknown>): boolean =>
  (use === undefined || use === 'sig') && (!Array.isArray(operations) || operations.includes('verify'));

const toPublicKey = (key: Record<string, unknown>): JWK =>
  Object.fromEntries(MEMBERS.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])));
