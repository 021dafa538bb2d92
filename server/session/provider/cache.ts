import type { ProviderClient } from '../../../procedures/single-sign-on/provider.ts';
import type { ProviderKeys } from './keys.ts';
import type { ProviderMetadata } from './metadata.ts';

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
