import { isIPv6 } from 'node:net';
import { crc32 } from 'node:zlib';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { isRawKey } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ERRORS } from '../../procedures/core/errors.ts';
import type { Authentication } from './authenticate.ts';
import { rateLimitError } from './rate-limit-error.ts';

/** Attempts that may fail from one address in a window, before failing is answered 429. */
export const MAX_FAILURES = 60;
/** Keys of the right form that are looked up in vain in a second for an address beyond that. */
export const MAX_LOOKUPS_PER_SECOND = 10;

/**
 * Addresses share so many counters, however many there are: what is kept stays within some megabytes. Who shares one
 * with a stranger loses nothing, as credentials that hold are taken from any address.
 */
const COUNTER_COUNT = 16_384;

type Authenticate = Authentication['apiKey'];
type Credentials = Parameters<Authenticate>[0];

const tooManyFailures = (wait: number) => rateLimitError('Too many attempts from this address have failed.', wait);

/**
 * Bounds what fails at authentication, by address; what succeeds is never refused for its address.
 * docs/decisions, 0010 tells the order.
 */
export class FailedAttempts {
  readonly #failures: RateLimiterMemory;
  readonly #lookups: RateLimiterMemory;
  /** By counter: when the window ends in which it is over, in milliseconds. */
  readonly #blockedUntil = new Map<number, number>();

  constructor(failures: RateLimiterMemory, lookups: RateLimiterMemory) {
    this.#failures = failures;
    this.#lookups = lookups;
  }

  /** The same authentication, whose failures are counted and, from an address with too many, are 429. */
  guard({ apiKey, anyCredential, hasSeen }: Authentication): Authentication {
    return { apiKey: this.#guardOne(apiKey, hasSeen), anyCredential: this.#guardOne(anyCredential, hasSeen), hasSeen };
  }

  #guardOne(authenticate: Authenticate, hasSeen: Authentication['hasSeen']): Authenticate {
    return async (credentials) => {
      const blockedError = this.#blockedUntil.size === 0 ? undefined : this.#blockedError(credentials.address);
      if (blockedError !== undefined) await this.#requireLookupAllowance(credentials, hasSeen, blockedError);
      try {
        return await authenticate(credentials);
      } catch (error) {
        if (blockedError !== undefined) await this.#lookups.penalty(counterOf(credentials.address ?? ''));
        throw await this.#countFailure(error, credentials.address);
      }
    };
  }

  #blockedError(address: string | null): ApiError | undefined {
    if (address === null) return undefined;
    const counter = counterOf(address);
    const retryAfterMs = (this.#blockedUntil.get(counter) ?? 0) - Date.now();
    if (retryAfterMs > 0) return tooManyFailures(retryAfterMs);
    this.#blockedUntil.delete(counter);
    return undefined;
  }

  /**
   * What may still succeed is tried: a token costs a digest, a key that was met before nothing more, any other is rationed.
   * @throws the refusal of the address, or for a key that might hold one that asks to try again soon
   */
  async #requireLookupAllowance(
    { headers, address }: Credentials,
    hasSeen: Authentication['hasSeen'],
    blockedError: ApiError,
  ): Promise<void> {
    const rawKey = headers['x-api-key'];
    if (rawKey === undefined && headers.authorization !== undefined) return;
    if (typeof rawKey !== 'string' || !isRawKey(rawKey)) throw blockedError;
    if (hasSeen(rawKey)) return;
    const failedLookups = await this.#lookups.get(counterOf(address ?? ''));
    if (failedLookups !== null && failedLookups.consumedPoints >= MAX_LOOKUPS_PER_SECOND)
      throw tooManyFailures(failedLookups.msBeforeNext);
  }

  /** What to throw for a failure: itself, or that there were too many. */
  async #countFailure(error: unknown, address: string | null): Promise<unknown> {
    if (address === null || !(error instanceof ApiError) || ERRORS[error.reason].status !== 401) return error;
    const counter = counterOf(address);
    const { consumedPoints, msBeforeNext } = await this.#failures.penalty(counter);
    if (consumedPoints <= MAX_FAILURES) return error;
    this.#blockedUntil.set(counter, Date.now() + msBeforeNext);
    return tooManyFailures(msBeforeNext);
  }
}

const counterOf = (address: string) => crc32(networkPrefix(address)) % COUNTER_COUNT;

/** What one caller can be taken to have: an IPv4 address, however it is written, or the /64 of an IPv6 address. */
export function networkPrefix(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const [front, back] = [groups(head), groups(tail)];
  // An IPv4 address at the end stands for two groups.
  const left = 8 - front.length - back.length - (tail.includes('.') ? 1 : 0);
  const all = [...front, ...Array.from({ length: Math.max(left, 0) }, () => '0'), ...back];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}

const groups = (text: string) => text.split(':').filter((group) => group !== '');
