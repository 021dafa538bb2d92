/** Bucket with one token for each request. It refills evenly: the whole limit in a window. */
export interface Bucket {
  key: string;
  limit: number;
}

/** Result of an attempt to take tokens from buckets. */
interface Taken {
  /** False if a bucket has too few tokens. Then no bucket has lost any. */
  isAccepted: boolean;
  /** Milliseconds until each of the buckets is full again, in their order. A bucket that nobody uses is full. */
  fullInMs: readonly number[];
}

/** Takes tokens from all buckets, or from none. @param giveBack tokens that the buckets get back if it takes none */
export type TakeTokens = (buckets: readonly Bucket[], tokens: number, giveBack: number) => Promise<Taken>;

/** Maximum number of buckets in memory, of about 200 bytes each. */
export const MAX_BUCKETS = 20_000;

/** Tolerance of comparisons, because sums of intervals are not exact. Shorter than the interval of any limit. */
export const ROUNDING_MS = 0.01;

/** Buckets in memory. Beyond their maximum number, the one that has been unused longest is dropped. */
export class MemoryBuckets {
  readonly #windowMs: number;
  readonly #now: () => number;
  /** Time at which each bucket is full, the last used one at the end. This is all of its state. */
  readonly #fullAt = new Map<string, number>();

  /** @param now clock in milliseconds, which never goes back */
  constructor(windowMs: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#now = now;
  }

  get count(): number {
    return this.#fullAt.size;
  }

  readonly take: TakeTokens = async (buckets, tokens, giveBack) => {
    const now = this.#now();
    // Each request comes here, so this makes no objects but its result.
    const fullInMs: number[] = [];
    let isAccepted = true;
    for (const { key, limit } of buckets) {
      const before = Math.max(0, (this.#fullAt.get(key) ?? now) - now);
      fullInMs.push(before);
      if (before + (tokens * this.#windowMs) / limit > this.#windowMs + ROUNDING_MS) isAccepted = false;
    }
    const taken = isAccepted ? tokens : -giveBack;
    for (const [index, { key, limit }] of buckets.entries()) {
      const after = Math.max(0, (fullInMs[index] ?? 0) + (taken * this.#windowMs) / limit);
      fullInMs[index] = after;
      this.#set(key, now + after);
    }
    return { isAccepted, fullInMs };
  };

  #set(key: string, fullAt: number): void {
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size <= MAX_BUCKETS) return;
    const [oldest = key] = this.#fullAt.keys();
    this.#fullAt.delete(oldest);
  }
}

/**
 * The same in Redis, whose clock all processes share. Arguments: the window, the tokens, those to give back, and the limit of each
 * bucket. Returns if the tokens were taken, and for each bucket the milliseconds until it is full, as text: Redis cuts fractions off.
 */
export const TAKE_TOKENS_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local window = tonumber(ARGV[1])
local taken = tonumber(ARGV[2])
local full_in = {}
local accepted = '1'
for i, key in ipairs(KEYS) do
  full_in[i] = math.max(0, (tonumber(redis.call('GET', key)) or now) - now)
  if full_in[i] + taken * window / ARGV[3 + i] > window + ${ROUNDING_MS} then accepted = '0' end
end
if accepted == '0' then taken = -ARGV[3] end
for i, key in ipairs(KEYS) do
  full_in[i] = string.format('%.3f', math.max(0, full_in[i] + taken * window / ARGV[3 + i]))
  local ms = math.ceil(full_in[i])
  if ms > 0 then redis.call('SET', key, string.format('%.3f', now + full_in[i]), 'PX', ms)
  else redis.call('DEL', key) end
end
return { accepted, unpack(full_in) }
`;
