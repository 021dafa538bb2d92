import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible';

/** Milliseconds without an answer after which Redis counts as gone: the longest that a request waits for it, once. */
const PATIENCE = 300;
/** Milliseconds between attempts to connect again, and the longest that the start waits for the first. */
const AGAIN = 1000;
/** Milliseconds that connecting may take, TLS included. Nobody waits for it. */
const CONNECTING = 5000;

interface Shared {
  limiter: RateLimiterRedis;
  close(): void;
}

/**
 * A limit that processes count together in Redis. While Redis is not there, whether it refuses, hangs or has never been
 * reached, this process counts on its own, and no request waits or fails for it.
 */
export async function openShared(url: string, options: IRateLimiterOptions, log: Logger): Promise<Shared> {
  const [{ Redis }, { RateLimiterMemory, RateLimiterRedis }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ]);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECTING,
    // A hung server keeps its connections: this gives them up, and what waits on them.
    socketTimeout: PATIENCE,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => AGAIN,
    connectionName: 'compliance-api',
  });
  let isGone = false;
  const gone = (err?: Error) => {
    if (!isGone) log.warn({ err }, 'Redis cannot be used: this process counts requests on its own');
    isGone = true;
  };
  redis.on('error', gone);
  redis.on('ready', () => {
    if (isGone) log.info('Redis is there: requests are counted together');
    isGone = false;
  });
  class Insurance extends RateLimiterMemory {
    override consume(key: string | number, calls?: number) {
      gone(); // a Redis that only answers errors is told of here
      return super.consume(key, calls);
    }
  }
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new Insurance(options),
    // Redis is not asked again for a key that is over its limit.
    inMemoryBlockOnConsumed: options.points + 1,
  });
  // So that the first requests are counted together too, where Redis answers in time; else it goes on trying.
  await Promise.race([redis.connect().catch(gone), wait(AGAIN)]);
  return { limiter, close: () => redis.disconnect() };
}
