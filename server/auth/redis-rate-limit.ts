import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible';

/** Milliseconds without an answer after which Redis counts as gone: the longest that a request waits for it, once. */
const TIMEOUT_MS = 300;
/** Milliseconds between attempts to connect again, and the longest that the start waits for the first. */
const RETRY_DELAY_MS = 1000;
/** Milliseconds that connecting may take, TLS included. Nobody waits for it. */
const CONNECT_TIMEOUT_MS = 5000;

interface RedisLimit {
  limiter: RateLimiterRedis;
  close(): void;
}

/**
 * A limit that processes count together in Redis. While Redis is not there, whether it refuses, hangs or has never been
 * reached, this process counts on its own, and no request waits or fails for it.
 */
export async function openRedisLimit(url: string, options: IRateLimiterOptions, log: Logger): Promise<RedisLimit> {
  const [{ Redis }, { RateLimiterMemory, RateLimiterRedis }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ]);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A hung server keeps its connections: this gives them up, and what waits on them.
    socketTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => RETRY_DELAY_MS,
    connectionName: 'compliance-api',
  });
  let isUnavailable = false;
  const markUnavailable = (err?: Error) => {
    if (!isUnavailable) log.warn({ err }, 'Redis cannot be used: this process counts requests on its own');
    isUnavailable = true;
  };
  redis.on('error', markUnavailable);
  redis.on('ready', () => {
    if (isUnavailable) log.info('Redis is there: requests are counted together');
    isUnavailable = false;
  });
  class FallbackLimiter extends RateLimiterMemory {
    override consume(key: string | number, calls?: number) {
      markUnavailable(); // a Redis that only answers errors is told of here
      return super.consume(key, calls);
    }
  }
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new FallbackLimiter(options),
    // Redis is not asked again for a key that is over its limit.
    inMemoryBlockOnConsumed: options.points + 1,
  });
  // So that the first requests are counted together too, where Redis answers in time; else it goes on trying.
  await Promise.race([redis.connect().catch(markUnavailable), wait(RETRY_DELAY_MS)]);
  return { limiter, close: () => redis.disconnect() };
}
