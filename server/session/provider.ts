import type { ExportedJWKSCache, JWK, JWKS, ServerMetadata } from 'openid-client';
import { z } from 'zod';
import type { ProviderClient } from '../../procedures/single-sign-on/provider.ts';
import { ApiError } from '../../entities/api-error.ts';
import { maxLength } from '../../entities/fields/schemas.ts';
import { MAX_ISSUER_LENGTH } from '../../entities/single-sign-on/sso.ts';

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

/** Maximum length of the URL of an endpoint. */
const MAX_URL_LENGTH = 2000;
const MAX_LIST_LENGTH = 50;

const text = (max: number) => z.string().check(maxLength(max));
const endpoint = text(MAX_URL_LENGTH);
const list = z.array(text(MAX_LIST_LENGTH)).check(maxLength(MAX_LIST_LENGTH)).exactOptional();

/** Fields of the metadata that a sign-in uses. https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata */
const Metadata = z.object({
  // The database stores it. `URL` ignores spaces and control characters around it.
  issuer: text(MAX_ISSUER_LENGTH).regex(/^[!-~]+$/),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.exactOptional(),
  token_endpoint_auth_methods_supported: list,
  id_token_signing_alg_values_supported: list,
  userinfo_signing_alg_values_supported: list,
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/** Metadata of a provider, reduced to the fields in use. A provider may send many more. */
interface ProviderMetadata {
  server: ServerMetadata;
  /** True if the provider takes the client secret in the body. The default of the standard is the header. */
  takesSecretInBody: boolean;
}

/**
 * Validates and reduces the metadata of a provider.
 * @param issuer issuer in the settings of the company
 */
export function toProviderMetadata(metadata: object, issuer: string): ProviderMetadata {
  // Some providers send null for a field that they leave out.
  const fields = Object.entries(metadata).filter(([, value]) => value !== null);
  const { data, error } = Metadata.safeParse(Object.fromEntries(fields));
  if (error !== undefined) throw new Error(`metadata: expected a valid ${String(error.issues[0]?.path[0])}`);
  // Some providers have one configuration for all of their customers, whose emails they do not verify.
  if (new URL(data.issuer).href !== new URL(issuer).href)
    throw new Error('issuer: expected the issuer of the metadata');
  const { token_endpoint_auth_methods_supported: methods, ...server } = data;
  return { server, takesSecretInBody: methods?.includes('client_secret_post') === true };
}

/** Milliseconds for which the metadata of a provider is cached. */
const TTL_MS = 10 * 60_000;
const MAX_COMPANIES = 500;
/** Seconds after which a provider that failed is tried again. */
export const RETRY_SECONDS = 5;

/** A provider whose metadata was read. */
export interface Provider {
  metadata: ProviderMetadata;
  keys: ProviderKeys;
}

interface Entry extends Pick<ProviderClient, 'issuer' | 'clientId' | 'clientSecret'> {
  provider: Promise<Provider>;
  until: number;
}

/** Providers of companies. Each company has one entry, which serves only the settings from which it was made. */
export class ProviderCache {
  /** In the order of the last use. */
  readonly #entries = new Map<number, Entry>();

  /** Number of companies. */
  get size(): number {
    return this.#entries.size;
  }

  /** Finds the provider of a company with its present settings. */
  find({ company, issuer, clientId, clientSecret }: ProviderClient): Promise<Provider> | undefined {
    const entry = this.#entries.get(company);
    if (entry === undefined || entry.until <= performance.now()) return undefined;
    if (entry.issuer !== issuer || entry.clientId !== clientId || entry.clientSecret !== clientSecret) return undefined;
    this.#entries.delete(company);
    this.#entries.set(company, entry);
    return entry.provider;
  }

  /** Adds the provider of a company in place of its last one. */
  add({ company, issuer, clientId, clientSecret }: ProviderClient, provider: Promise<Provider>): Promise<Provider> {
    const entry: Entry = { issuer, clientId, clientSecret, provider, until: performance.now() + TTL_MS };
    this.#entries.delete(company);
    this.#entries.set(company, entry);
    // An error is cached too, as anybody may start a sign-in.
    provider.catch(() => (entry.until = performance.now() + RETRY_SECONDS * 1000));
    const [leastRecentlyUsed] = this.#entries.keys();
    if (this.#entries.size > MAX_COMPANIES && leastRecentlyUsed !== undefined) this.#entries.delete(leastRecentlyUsed);
    return provider;
  }
}
