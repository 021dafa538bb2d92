import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { SignInError } from '../../procedures/sign-in/attempts.ts';
import type { AttemptSubject, SignInAttempts } from '../../procedures/sign-in/attempts.ts';
import type { Settings } from '../config/settings.ts';
import { networkPrefix } from '../auth/failed-attempts.ts';
import { rateLimitErrors } from '../auth/rate-limit-error.ts';
import { openRedisLimits } from '../auth/redis-rate-limit.ts';

/** Failures per account and per address in one window. Contract, section 16. */
export const MAX_SIGN_IN_FAILURES = { account: 10, address: 30 } as const;
const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'compliance-api:sign-in';

type Kind = keyof typeof MAX_SIGN_IN_FAILURES;

const ERRORS = {
  account: rateLimitErrors('Too many failed sign-ins of this account.'),
  address: rateLimitErrors('Too many failed sign-ins from this address.'),
};

interface Limiters extends Record<Kind, RateLimiterAbstract> {
  close: () => void;
}

/** An attempt that was counted, until its window ends. */
interface Counted {
  limiter: RateLimiterAbstract;
  key: string;
  windowEndsAt: number;
}

export interface SignInLimits extends SignInAttempts {
  close(): void;
}

/**
 * Opens the limits of failed sign-ins, which no setting disables. With a Redis URL, processes share them. The first attempt
 * loads the limiters and connects to Redis.
 * @param windowSeconds length of the window in which failures are counted
 */
export function openSignInLimits(
  { redisUrl }: Pick<Settings, 'redisUrl'>,
  log: Logger,
  windowSeconds = WINDOW_SECONDS,
): SignInLimits {
  let opened: Promise<Limiters> | undefined;

  async function count(limiters: Limiters, kind: Kind, subject: string): Promise<Counted> {
    const limiter = limiters[kind];
    const key = hash('sha256', subject, 'base64url'); // Redis stores neither emails nor addresses
    try {
      const { msBeforeNext } = await limiter.consume(key);
      return { limiter, key, windowEndsAt: Date.now() + msBeforeNext };
    } catch (error) {
      if (!isRateLimiterRes(error)) throw error;
      throw ERRORS[kind](error.msBeforeNext);
    }
  }

  async function limit<T>({ address, email }: AttemptSubject, attempt: () => Promise<T>): Promise<T> {
    opened ??= openLimiters(redisUrl, log, windowSeconds);
    const limiters = await opened;
    const counted: Counted[] = [];
    let isFailure = false;
    try {
      if (typeof address === 'string') counted.push(await count(limiters, 'address', networkPrefix(address)));
      if (email !== undefined) counted.push(await count(limiters, 'account', email));
      return await attempt();
    } catch (error) {
      isFailure = error instanceof SignInError && error.isFailure;
      throw error;
    } finally {
      if (!isFailure) await Promise.all(counted.map(giveBack));
    }
  }

  const close = () => void opened?.then((limiters) => limiters.close());
  return { limit, close };
}

async function openLimiters(redisUrl: string | undefined, log: Logger, duration: number): Promise<Limiters> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  const redis = redisUrl === undefined ? undefined : await openRedisLimits(redisUrl, log);
  const limiter = (kind: Kind) => {
    const options = { keyPrefix: `${KEY_PREFIX}:${kind}`, points: MAX_SIGN_IN_FAILURES[kind], duration };
    return redis?.createLimiter(options) ?? new RateLimiterMemory(options);
  };
  return { account: limiter('account'), address: limiter('address'), close: () => redis?.close() };
}

/** Subtracts an attempt that did not fail. After the end of its window there is nothing to subtract it from. */
const giveBack = async ({ limiter, key, windowEndsAt }: Counted): Promise<void> => {
  if (Date.now() < windowEndsAt) await limiter.reward(key);
};

/** The limiters throw this for a rejected attempt. It is no error. */
const isRateLimiterRes = (error: unknown): error is RateLimiterRes =>
  typeof error === 'object' && error !== null && 'msBeforeNext' in error && typeof error.msBeforeNext === 'number';
