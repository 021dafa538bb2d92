import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible';

/** Response timeout of Redis. Requests wait for it only once, at the start of an outage. */
const TIMEOUT_MS = 300;
/** Delay between reconnection attempts, and the longest that the start of the service waits for the first connection. */
const RETRY_DELAY_MS = 1000;
/** Connection timeout, including TLS. Requests do not wait for a connection. */
const CONNECT_TIMEOUT_MS = 5000;

/** Rate limits on one connection to Redis. */
interface RedisLimits {
  createLimiter(options: IRateLimiterOptions & { inMemoryBlockOnConsumed?: number }): RateLimiterRedis;
  close(): void;
}

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
    close: () => redis.disconnect(),
  };
}
