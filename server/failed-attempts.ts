import { isIPv6 } from 'node:net';
import { crc32 } from 'node:zlib';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { isRawKey } from '../entities/raw-key.ts';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS } from '../procedures/errors.ts';
import type { Authentication } from './context.ts';
import { tooMany } from './too-many.ts';

/** Attempts that may fail from one address in a window, before failing is answered 429. */
export const FAILURES = 60;
/** Keys of the right form that are looked up in vain in a second for an address beyond that. */
export const LOOK_UPS = 10;

/**
 * Addresses share so many counters, however many there are: what is kept stays within some megabytes. Who shares one
 * with a stranger loses nothing, as credentials that hold are taken from any address.
 */
const COUNTERS = 16_384;

type Authenticate = Authentication['apiKey'];
type Asked = Parameters<Authenticate>[0];

const excess = (wait: number) => tooMany('Too many attempts from this address have failed.', wait);

/**
 * Bounds what fails at authentication, by address; what succeeds is never refused for its address.
 * docs/decisions/0010-rate-limits.md tells the order.
 */
export class FailedAttempts {
  readonly #failures: RateLimiterMemory;
  readonly #lookUps: RateLimiterMemory;
  /** By counter: when the window ends in which it is over, in milliseconds. */
  readonly #overUntil = new Map<number, number>();

  constructor(failures: RateLimiterMemory, lookUps: RateLimiterMemory) {
    this.#failures = failures;
    this.#lookUps = lookUps;
  }

  /** The same authentication, whose failures are counted and, from an address with too many, are 429. */
  guard({ apiKey, any, hasMet }: Authentication): Authentication {
    return { apiKey: this.#guarded(apiKey, hasMet), any: this.#guarded(any, hasMet), hasMet };
  }

  #guarded(authenticate: Authenticate, hasMet: Authentication['hasMet']): Authenticate {
    return async (asked) => {
      const refusal = this.#overUntil.size === 0 ? undefined : this.#refusalFor(asked.address);
      if (refusal !== undefined) await this.#requireChance(asked, hasMet, refusal);
      try {
        return await authenticate(asked);
      } catch (error) {
        if (refusal !== undefined) await this.#lookUps.penalty(counterOf(asked.address ?? ''));
        throw await this.#counted(error, asked.address);
      }
    };
  }

  #refusalFor(address: string | null): Refusal | undefined {
    if (address === null) return undefined;
    const counter = counterOf(address);
    const wait = (this.#overUntil.get(counter) ?? 0) - Date.now();
    if (wait > 0) return excess(wait);
    this.#overUntil.delete(counter);
    return undefined;
  }

  /**
   * What may still succeed is tried: a token costs a digest, a key that was met before nothing more, any other is rationed.
   * @throws the refusal of the address, or for a key that might hold one that asks to try again soon
   */
  async #requireChance({ headers, address }: Asked, hasMet: Authentication['hasMet'], refusal: Refusal): Promise<void> {
    const rawKey = headers['x-api-key'];
    if (rawKey === undefined && headers.authorization !== undefined) return;
    if (typeof rawKey !== 'string' || !isRawKey(rawKey)) throw refusal;
    if (hasMet(rawKey)) return;
    const inVain = await this.#lookUps.get(counterOf(address ?? ''));
    if (inVain !== null && inVain.consumedPoints >= LOOK_UPS) throw excess(inVain.msBeforeNext);
  }

  /** What to throw for a failure: itself, or that there were too many. */
  async #counted(error: unknown, address: string | null): Promise<unknown> {
    if (address === null || !(error instanceof Refusal) || ERRORS[error.reason].status !== 401) return error;
    const counter = counterOf(address);
    const { consumedPoints, msBeforeNext } = await this.#failures.penalty(counter);
    if (consumedPoints <= FAILURES) return error;
    this.#overUntil.set(counter, Date.now() + msBeforeNext);
    return excess(msBeforeNext);
  }
}

const counterOf = (address: string) => crc32(networkOf(address)) % COUNTERS;

/** What one caller can be taken to have: an IPv4 address, however it is written, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
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
