import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { SignInError } from '../../procedures/sign-in/attempts.ts';
import type { AttemptSubject, SignInAttempts } from '../../procedures/core/context.ts';
import type { Settings } from '../config/settings.ts';
import { networkPrefix, rateLimitErrors } from '../auth/failed-attempts.ts';
import { openRedisLimits } from '../auth/redis-rate-limit.ts';

/** Failures per account and per address in one window. Contract, section 16. */
export const MAX_SIGN_IN_FAILURES = { account: 10, address: 30 } as const;
/** Requests to one identity provider that one address may cause in one window. */
export const MAX_PROVIDER_REQUESTS = 30;
export const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'compliance-api:sign-in';

const POINTS = { ...MAX_SIGN_IN_FAILURES, provider: MAX_PROVIDER_REQUESTS } as const;

type Kind = keyof typeof POINTS;

const ERRORS = {
  account: rateLimitErrors('Too many failed sign-ins of this account.'),
  address: rateLimitErrors('Too many failed sign-ins from this address.'),
  provider: rateLimitErrors('Too many sign-ins at this identity provider from this address.'),
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

/** The person who starts single sign-on. */
interface StartSubject {
  address: string;
  email: string | undefined;
}

/** Limits of sign-in, and those of single sign-on, which has two steps. Contract, section 16. */
export interface SignInLimits extends SignInAttempts {
  /**
   * Runs the start of single sign-on. It counts for the address until a callback succeeds, and for the account, if it names one, if it fails.
   * @throws ApiError 429 above a limit, without running the start
   */
  limitStart<T>(subject: StartSubject, start: () => Promise<T>): Promise<T>;
  /**
   * Runs the callback of single sign-on. It counts for the address if it fails; if it succeeds, its start no longer counts.
   * @param isStarted true if the browser has started the sign-in: its start, which is counted, may be the last one permitted
   * @throws ApiError 429 above the limit, without running the callback
   */
  limitCallback<T>(subject: { address: string; isStarted: boolean }, callback: () => Promise<T>): Promise<T>;
  /** Counts a request as a failure of the address. @throws ApiError 429 above the limit */
  countRequest(subject: { address: string }): Promise<void>;
  /** Counts a request to an identity provider before it is sent. @throws ApiError 429 above the limit */
  countProviderRequest(subject: { address: string; issuer: string }): Promise<void>;
  close(): void;
}

/**
 * Opens the limits of failed sign-ins, which no setting disables. With a Redis URL, processes share them. The first attempt
 * loads the limiters and connects to Redis.
 * @param windowSeconds length of the window in which attempts are counted
 */
export function openSignInLimits(
  { redisUrl }: Pick<Settings, 'redisUrl'>,
  log: Logger,
  windowSeconds = WINDOW_SECONDS,
): SignInLimits {
  let opened: Promise<Limiters> | undefined;

  async function count(kind: Kind, subject: string): Promise<Counted> {
    const { [kind]: limiter } = await (opened ??= openLimiters(redisUrl, log, windowSeconds));
    const key = keyOf(subject);
    try {
      const { msBeforeNext } = await limiter.consume(key);
      return { limiter, key, windowEndsAt: Date.now() + msBeforeNext };
    } catch (error) {
      if (!isRateLimiterRes(error)) throw error;
      await giveBack({ limiter, key, windowEndsAt: Date.now() + error.msBeforeNext });
      throw ERRORS[kind](error.msBeforeNext);
    }
  }

  async function limit<T>({ address, email }: AttemptSubject, attempt: () => Promise<T>): Promise<T> {
    const counted: Counted[] = [];
    let isFailure = false;
    try {
      if (typeof address === 'string') counted.push(await count('address', networkPrefix(address)));
      if (email !== undefined) counted.push(await count('account', email));
      return await attempt();
    } catch (error) {
      isFailure = error instanceof SignInError && error.isFailure;
      throw error;
    } finally {
      if (!isFailure) await Promise.all(counted.map(giveBack));
    }
  }

  async function limitStart<T>({ address, email }: StartSubject, start: () => Promise<T>): Promise<T> {
    await count('address', networkPrefix(address));
    const ofAccount = email === undefined ? undefined : await count('account', email);
    const result = await start();
    if (ofAccount !== undefined) await giveBack(ofAccount);
    return result;
  }

  async function limitCallback<T>(
    { address, isStarted }: { address: string; isStarted: boolean },
    callback: () => Promise<T>,
  ): Promise<T> {
    const subject = networkPrefix(address);
    if (!isStarted) {
      await count('address', subject);
      return callback();
    }
    const { address: limiter } = await (opened ??= openLimiters(redisUrl, log, windowSeconds));
    const key = keyOf(subject);
    const before = await limiter.get(key);
    if (before !== null && before.consumedPoints > POINTS.address) throw ERRORS.address(before.msBeforeNext);
    let isFailure = false;
    try {
      return await callback();
    } catch (error) {
      isFailure = !(error instanceof SignInError) || error.isFailure;
      throw error;
    } finally {
      const after = await limiter.get(key);
      if (isFailure) await limiter.penalty(key);
      else if (after !== null && after.consumedPoints > 0)
        await giveBack({ limiter, key, windowEndsAt: Date.now() + after.msBeforeNext });
    }
  }

  async function countProviderRequest({ address, issuer }: { address: string; issuer: string }): Promise<void> {
    await count('provider', `${networkPrefix(address)} ${new URL(issuer).origin}`);
  }

  async function countRequest({ address }: { address: string }): Promise<void> {
    await count('address', networkPrefix(address));
  }

  const close = () => void opened?.then((limiters) => limiters.close());
  return { limit, countRequest, limitStart, limitCallback, countProviderRequest, close };
}

/** Key of a counter. Redis stores neither emails nor addresses. */
const keyOf = (subject: string): string => hash('sha256', subject, 'base64url');

async function openLimiters(redisUrl: string | undefined, log: Logger, duration: number): Promise<Limiters> {
  const { BoundedLimiter } = await import('../auth/bounded-limiter.ts');
  const redis = redisUrl === undefined ? undefined : await openRedisLimits(redisUrl, log);
  const limiter = (kind: Kind) => {
    const options = { keyPrefix: `${KEY_PREFIX}:${kind}`, points: POINTS[kind], duration };
    return redis?.createLimiter(options) ?? new BoundedLimiter(options);
  };
  return {
    account: limiter('account'),
    address: limiter('address'),
    provider: limiter('provider'),
    close: () => redis?.close(),
  };
}

/** Subtracts an attempt that did not fail. After the end of its window there is nothing to subtract it from. */
const giveBack = async ({ limiter, key, windowEndsAt }: Counted): Promise<void> => {
  if (Date.now() < windowEndsAt) await limiter.reward(key);
};

/** The limiters throw this for a rejected attempt. It is not an instance of `Error`. */
const isRateLimiterRes = (error: unknown): error is RateLimiterRes =>
  typeof error === 'object' && error !== null && 'msBeforeNext' in error && typeof error.msBeforeNext === 'number';
