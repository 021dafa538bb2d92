import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Refusal } from '../entities/refusal.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Settings } from './config.ts';
import { FAILURES, FailedAttempts, LOOK_UPS } from './failed-attempts.ts';
import { openShared } from './shared-limit.ts';
import { secondsOf, tooMany } from './too-many.ts';

/** Bounds what a key and what an address may ask. Contract, section 2. */
export interface Limits {
  /**
   * Counts calls of the key that asks, if it is one, and says in the answer's headers what is left.
   * @returns why they are not served; undefined where they are
   */
  count(answer: ServerResponse, context: Context, calls?: number): Promise<Refusal | undefined>;
  /** What has failed at authentication, by address. */
  failures: FailedAttempts;
  close(): void;
}

/** Seconds in which a key's requests are counted. */
const WINDOW = 60;
const KEY_PREFIX = 'compliance-api:requests';

/**
 * Opens the limits that are set, shared through Redis where that is set.
 * @param window seconds in which requests and failures are counted
 * @returns undefined where they are turned off
 */
export async function openLimits(
  { rateLimitPerMinute: points, redisUrl }: Pick<Settings, 'rateLimitPerMinute' | 'redisUrl'>,
  log: Logger,
  window = WINDOW,
): Promise<Limits | undefined> {
  if (points === 0) return undefined;
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const options = { keyPrefix: KEY_PREFIX, points, duration: window };
  const shared = redisUrl === undefined ? undefined : await openShared(redisUrl, options, log);
  const limiter = shared?.limiter ?? new RateLimiterMemory(options);
  const failures = new RateLimiterMemory({ points: FAILURES, duration: window });
  const lookUps = new RateLimiterMemory({ points: LOOK_UPS, duration: 1 });

  const policy = `"default";q=${points};w=${window}`;
  const message = `Too many requests: a key may make ${points} in ${window} s.`;
  const tell = (answer: ServerResponse, left: number, wait: number) =>
    answer.setHeader('RateLimit-Policy', policy).setHeader('RateLimit', `"default";r=${left};t=${secondsOf(wait)}`);

  async function count(answer: ServerResponse, { session }: Context, calls = 1): Promise<Refusal | undefined> {
    const key = session.principal?.key;
    if (key === undefined || key === null) return undefined;
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key, calls);
      tell(answer, remainingPoints, msBeforeNext);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      tell(answer, 0, error.msBeforeNext);
      return tooMany(message, error.msBeforeNext);
    }
  }

  return { count, failures: new FailedAttempts(failures, lookUps), close: () => shared?.close() };
}
