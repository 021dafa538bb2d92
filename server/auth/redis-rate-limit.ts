import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible';
import { z } from 'zod';
import { MemoryBuckets, TAKE_TOKENS_SCRIPT } from './token-buckets.ts';
import type { TakeTokens } from './token-buckets.ts';

/** Response timeout of Redis. Requests wait for it only once, at the start of an outage. */
const TIMEOUT_MS = 300;
/** Delay between reconnection attempts, and the longest that the start of the service waits for the first connection. */
const RETRY_DELAY_MS = 1000;
/** Connection timeout, including TLS. Requests do not wait for a connection. */
const CONNECT_TIMEOUT_MS = 5000;

/** Rate limits on one connection to Redis. */
interface RedisLimits {
  createLimiter(options: IRateLimiterOptions): RateLimiterRedis;
  /** Returns a function that takes tokens from buckets whose keys have this prefix. */
  tokenBuckets(keyPrefix: string, windowMs: number): TakeTokens;
  close(): void;
}

/** Created once: during an outage every request gets it. */
const NOT_CONNECTED = new Error('Redis is not connected');

/** Reply of the script: '1' if the tokens were taken, and the milliseconds until each bucket is full. */
const Reply = z.tuple([z.enum(['0', '1'])], z.coerce.number());

/**
 * Opens rate limits that processes share through Redis. While Redis is unavailable, this process counts alone, so that
 * requests neither fail nor wait. This covers rejected connections, timeouts and a Redis that was never reachable.
 */
export async function openRedisLimits(url: string, log: Logger): Promise<RedisLimits> {
  const [{ Redis }, { RateLimiterRedis }, { BoundedLimiter }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
    import('./bounded-limiter.ts'),
  ]);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A hanging server keeps its connections open. This timeout closes them and fails the commands that wait.
    socketTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => RETRY_DELAY_MS,
    connectionName: 'compliance-api',
  });
  let isUnavailable = false;
  const markUnavailable = (err?: Error) => {
    if (!isUnavailable) log.warn({ err }, 'Redis unavailable: rate limits are counted per process');
    isUnavailable = true;
  };
  redis.on('error', markUnavailable);
  redis.on('ready', () => {
    if (isUnavailable) log.info('Redis available: rate limits are shared');
    isUnavailable = false;
  });
  class FallbackLimiter extends BoundedLimiter {
    override consume(key: string | number, calls?: number) {
      markUnavailable(); // covers a Redis that is connected and returns only errors
      return super.consume(key, calls);
    }
  }
  // Waits briefly, so that the first requests are already shared. After that, connecting continues in the background.
  await Promise.race([redis.connect().catch(markUnavailable), wait(RETRY_DELAY_MS)]);
  return {
    createLimiter: (options) =>
      new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new FallbackLimiter(options),
      }),
    tokenBuckets(keyPrefix, windowMs) {
      const ownBuckets = new MemoryBuckets(windowMs);
      return async (buckets, tokens, giveBack) => {
        const keys = buckets.map(({ key }) => `${keyPrefix}:${key}`);
        const limits = buckets.map(({ limit }) => limit);
        try {
          if (redis.status !== 'ready') throw NOT_CONNECTED;
          const reply = await redis.eval(
            TAKE_TOKENS_SCRIPT,
            keys.length,
            ...keys,
            windowMs,
            tokens,
            giveBack,
            ...limits,
          );
          const [isAccepted, ...fullInMs] = Reply.parse(reply);
          return { isAccepted: isAccepted === '1', fullInMs };
        } catch (error) {
          markUnavailable(error instanceof Error ? error : undefined);
          return ownBuckets.take(buckets, tokens, giveBack);
        }
      };
    },
    close: () => redis.disconnect(),
  };
}
