import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ApiError } from '../../entities/api-error.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { Settings } from '../config/settings.ts';
import {
  MAX_FAILURES,
  FailedAttempts,
  MAX_LOOKUPS_PER_SECOND,
  toWholeSeconds,
  rateLimitErrors,
} from './failed-attempts.ts';
import { openRedisLimits } from './redis-rate-limit.ts';

/** Rate limits per API key and per address. Contract, section 2. */
export interface RateLimits {
  /**
   * Counts calls of the API key or the person and sets the `RateLimit` headers. The operator is not limited.
   * @returns 429 above the limit, otherwise undefined
   */
  consume(response: ServerResponse, context: Context, calls?: number): Promise<ApiError | undefined>;
  /** Failed authentications per address. */
  failedAttempts: FailedAttempts;
  close(): void;
}

/** Length of the window in which requests are counted. */
const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'compliance-api:requests';

/**
 * Opens the configured rate limits. With a Redis URL, processes share the counters of API keys.
 * @param windowSeconds length of the window in which requests and failures are counted
 * @returns undefined if rate limits are disabled
 */
export async function openRateLimits(
  { rateLimitPerMinute: points, redisUrl }: Pick<Settings, 'rateLimitPerMinute' | 'redisUrl'>,
  log: Logger,
  windowSeconds = WINDOW_SECONDS,
): Promise<RateLimits | undefined> {
  if (points === 0) return undefined;
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const { BoundedLimiter } = await import('./bounded-limiter.ts');
  const options = { keyPrefix: KEY_PREFIX, points, duration: windowSeconds };
  const redis = redisUrl === undefined ? undefined : await openRedisLimits(redisUrl, log);
  // API keys above their limit are rejected without a Redis command.
  const limiter =
    redis?.createLimiter({ ...options, inMemoryBlockOnConsumed: points + 1 }) ?? new BoundedLimiter(options);
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: windowSeconds });
  const lookups = new RateLimiterMemory({ points: MAX_LOOKUPS_PER_SECOND, duration: 1 });

  const policy = `"default";q=${points};w=${windowSeconds}`;
  const tooManyRequests = rateLimitErrors(
    `Too many requests: a key or a person may make ${points} in ${windowSeconds} s.`,
  );
  const setRateLimitHeaders = (response: ServerResponse, remaining: number, resetMs: number) =>
    response
      .setHeader('RateLimit-Policy', policy)
      .setHeader('RateLimit', `"default";r=${remaining};t=${toWholeSeconds(resetMs)}`);

  async function consume(response: ServerResponse, context: Context, calls = 1): Promise<ApiError | undefined> {
    const key = context.webSession?.person ?? context.session.principal?.key;
    if (key === undefined || key === null) return undefined;
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key, calls);
      setRateLimitHeaders(response, remainingPoints, msBeforeNext);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      setRateLimitHeaders(response, 0, error.msBeforeNext);
      return tooManyRequests(error.msBeforeNext);
    }
  }

  return { consume, failedAttempts: new FailedAttempts(failures, lookups), close: () => redis?.close() };
}
