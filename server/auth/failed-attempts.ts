import { isIPv6 } from 'node:net';
import { crc32 } from 'node:zlib';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { ApiError } from '../../entities/api-error.ts';
import { isLikeRawKey, isRawKey } from '../../entities/api-key/raw-key.ts';
import { ERRORS } from '../../procedures/core/errors.ts';
import type { Authentication } from './authenticate.ts';
import { presentedKey } from './credentials.ts';
import type { Authenticate, Credentials } from './credentials.ts';

/** Failed attempts per address and window. Further failures get 429. */
export const MAX_FAILURES = 60;
/** Failed lookups of well-formed keys per second, for an address above `MAX_FAILURES`. */
export const MAX_LOOKUPS_PER_SECOND = 10;

/**
 * Number of counters. Addresses are hashed to counters, which bounds memory to a few megabytes. Sharing a counter with
 * another address is harmless, because valid credentials are accepted from every address.
 */
const COUNTER_COUNT = 16_384;

/**
 * Creates 429 errors with one message. Each is created once for a number of seconds and then shared: rejections must stay
 * cheap, and capturing a stack for each would be expensive.
 * @returns a function of the milliseconds until the next request is accepted
 */
export function rateLimitErrors(message: string): (waitMs: number) => ApiError {
  const errors = new Map<number, ApiError>();
  return (waitMs) => {
    const retryAfter = toWholeSeconds(waitMs);
    const existing = errors.get(retryAfter);
    if (existing !== undefined) return existing;
    const error = new ApiError('rate_limited', `${message} Try again in ${retryAfter} s.`, { retryAfter });
    errors.set(retryAfter, error);
    return error;
  };
}

/** Converts milliseconds to seconds, rounded up, at least 1. */
export const toWholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

const tooManyFailures = rateLimitErrors('Too many failed attempts from this address.');

/**
 * Limits failed authentications per address. Valid credentials are never rejected because of their address.
 * Decision 0010 describes the order of the checks.
 */
export class FailedAttempts {
  readonly #failures: RateLimiterMemory;
  readonly #lookups: RateLimiterMemory;
  /** End of the block of each counter above the limit, in milliseconds since the epoch. */
  readonly #blockedUntil = new Map<number, number>();

  constructor(failures: RateLimiterMemory, lookups: RateLimiterMemory) {
    this.#failures = failures;
    this.#lookups = lookups;
  }

  /** Wraps an authentication: failures are counted, and become 429 above the limit. */
  guard(authentication: Authentication): Authentication {
    const { apiKey, anyCredential, usesCookie, hasSeen } = authentication;
    const guardedAnyCredential = this.#guardOne(anyCredential, hasSeen);
    return {
      ...authentication,
      apiKey: this.#guardOne(apiKey, hasSeen),
      // Sessions of many people may end at once behind one address, so they are neither counted nor blocked.
      anyCredential: (credentials) =>
        usesCookie(credentials.headers) ? anyCredential(credentials) : guardedAnyCredential(credentials),
    };
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
   * Decides if a blocked address may try these credentials. A token costs one hash, and a known key is cached. Lookups of
   * unknown keys are limited, because each may query the database.
   * @throws ApiError 429 until the block ends, or for an unknown well-formed key until lookups are available again
   */
  async #requireLookupAllowance(
    { headers, address }: Credentials,
    hasSeen: Authentication['hasSeen'],
    blockedError: ApiError,
  ): Promise<void> {
    const presented = presentedKey(headers);
    if (presented?.header === 'Authorization' && !isLikeRawKey(presented.rawKey)) return;
    const { rawKey = '' } = presented ?? {};
    if (!isRawKey(rawKey)) throw blockedError;
    if (hasSeen(rawKey)) return;
    const failedLookups = await this.#lookups.get(counterOf(address ?? ''));
    if (failedLookups !== null && failedLookups.consumedPoints >= MAX_LOOKUPS_PER_SECOND)
      throw tooManyFailures(failedLookups.msBeforeNext);
  }

  /** Counts a failure. Returns the same error, or 429 above the limit. */
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

/** Returns the address range that one client is assumed to control: an IPv4 address, or an IPv6 /64 prefix. */
export function networkPrefix(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const [front, back] = [groups(head), groups(tail)];
  // A trailing IPv4 address occupies two groups.
  const missing = 8 - front.length - back.length - (tail.includes('.') ? 1 : 0);
  const all = [...front, ...Array.from({ length: Math.max(missing, 0) }, () => '0'), ...back];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}

const groups = (text: string) => text.split(':').filter((group) => group !== '');
