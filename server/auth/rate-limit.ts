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
import { MemoryBuckets, ROUNDING_MS } from './token-buckets.ts';
import type { Bucket, TakeTokens } from './token-buckets.ts';

/** Rate limits per API key, per company and per address. Contract, section 2. */
export interface RateLimits {
  /**
   * Counts calls of the API key or the person, and of its company, and sets the `RateLimit` headers. Calls above a limit count for
   * neither. The operator is not limited.
   * @param counted calls of the same request that were counted before, and do not count either if this is above a limit
   * @returns 429 above a limit, otherwise undefined
   */
  consume(response: ServerResponse, context: Context, calls?: number, counted?: number): Promise<ApiError | undefined>;
  /** Failed authentications per address; undefined if they are not limited. */
  failedAttempts: FailedAttempts | undefined;
  close(): void;
}

/** Time in which an unused bucket refills, and length of the window in which failures are counted. */
const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'compliance-api:tokens';

/** The limit of a key or a person, or that of a company. `name` is that of the policy in the headers. */
interface Limit {
  name: 'default' | 'company';
  perWindow: number;
  /** Value of `RateLimit-Policy`. */
  policy: string;
  errorAfter: (waitMs: number) => ApiError;
}

/** Options for tests. */
interface Options {
  windowSeconds?: number;
  /** Clock of the buckets in memory, in milliseconds. */
  now?: () => number;
}

/**
 * Opens the configured rate limits. With a Redis URL, processes share the tokens of API keys and companies.
 * @returns undefined if rate limits are disabled
 */
export async function openRateLimits(
  {
    rateLimitPerMinute,
    companyRateLimitPerMinute,
    redisUrl,
  }: Pick<Settings, 'rateLimitPerMinute' | 'companyRateLimitPerMinute' | 'redisUrl'>,
  log: Logger,
  { windowSeconds = WINDOW_SECONDS, now }: Options = {},
): Promise<RateLimits | undefined> {
  if (rateLimitPerMinute === 0 && companyRateLimitPerMinute === 0) return undefined;
  const windowMs = windowSeconds * 1000;
  const redis = redisUrl === undefined ? undefined : await openRedisLimits(redisUrl, log);
  const take = redis?.tokenBuckets(KEY_PREFIX, windowMs) ?? new MemoryBuckets(windowMs, now).take;
  const limitOf = (name: Limit['name'], perWindow: number, who: string): Limit => ({
    name,
    perWindow,
    policy: `"${name}";q=${perWindow};w=${windowSeconds}`,
    errorAfter: rateLimitErrors(`Too many requests: ${who} may make ${perWindow} in ${windowSeconds} s.`),
  });
  const limits = {
    caller: limitOf('default', rateLimitPerMinute, 'a key or a person'),
    company: limitOf('company', companyRateLimitPerMinute, 'a company'),
  };
  return {
    consume: async (response, context, calls = 1, counted = 0) => {
      const limited = bucketsOf(context, limits);
      const taken = await takeTokens(take, windowMs, { limited, calls, counted });
      if (taken === undefined) return undefined;
      response.setHeader('RateLimit-Policy', taken.policy).setHeader('RateLimit', taken.state);
      return taken.error;
    },
    failedAttempts: rateLimitPerMinute === 0 ? undefined : await openFailedAttempts(windowSeconds),
    close: () => redis?.close(),
  };
}

/** A bucket of a request, and its limit. */
interface LimitedBucket extends Bucket {
  of: Limit;
}

/** Returns the buckets of the caller and of its company. The operator has none. */
function bucketsOf(
  { caller, webSession, session: { principal } }: Context,
  limits: Record<'caller' | 'company', Limit>,
): LimitedBucket[] {
  if (caller === 'operator') return [];
  const own = webSession?.person ?? principal?.key ?? undefined;
  const { caller: perCaller, company: perCompany } = limits;
  const buckets: LimitedBucket[] = [];
  if (own !== undefined && perCaller.perWindow > 0)
    buckets.push({ key: own, of: perCaller, limit: perCaller.perWindow });
  if (principal !== null && perCompany.perWindow > 0)
    buckets.push({ key: `company:${principal.company}`, of: perCompany, limit: perCompany.perWindow });
  return buckets;
}

/** Takes tokens, and describes the limit that is nearer, as in draft-ietf-httpapi-ratelimit-headers-11. */
async function takeTokens(
  take: TakeTokens,
  windowMs: number,
  { limited, calls, counted }: { limited: readonly LimitedBucket[]; calls: number; counted: number },
): Promise<{ error: ApiError | undefined; policy: string; state: string } | undefined> {
  if (limited.length === 0) return undefined;
  const { isAccepted, fullInMs } = await take(limited, calls, counted);
  let nearest: { of: Limit; remaining: number; waitMs: number; nextMs: number } | undefined;
  for (const [index, { of }] of limited.entries()) {
    const intervalMs = windowMs / of.perWindow;
    const missingMs = fullInMs[index] ?? 0;
    const remaining = Math.max(0, Math.floor((windowMs - missingMs + ROUNDING_MS) / intervalMs));
    // More calls than the limit are never accepted; this is the time until the bucket is full.
    const waitMs = Math.min(missingMs, missingMs + calls * intervalMs - windowMs);
    if (nearest !== undefined && (isAccepted ? remaining >= nearest.remaining : waitMs <= nearest.waitMs)) continue;
    nearest = { of, remaining, waitMs, nextMs: missingMs - windowMs + (remaining + 1) * intervalMs };
  }
  if (nearest === undefined) return undefined;
  const { of, remaining, waitMs, nextMs } = nearest;
  return {
    error: isAccepted ? undefined : of.errorAfter(waitMs),
    policy: of.policy,
    state: `"${of.name}";r=${remaining};t=${toWholeSeconds(nextMs)}`,
  };
}

async function openFailedAttempts(windowSeconds: number): Promise<FailedAttempts> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: windowSeconds });
  const lookups = new RateLimiterMemory({ points: MAX_LOOKUPS_PER_SECOND, duration: 1 });
  return new FailedAttempts(failures, lookups);
}
