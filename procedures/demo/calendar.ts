const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** First minute and number of minutes of a working day, in UTC. */
const WORK = { firstMinute: 7 * 60 + 30, minutes: 9 * 60 } as const;

/** A calendar date of a time in UTC. */
export const dateOf = (time: Date) => time.toISOString().slice(0, 10);

/** Days of the demo company, all relative to today. */
export class Calendar {
  /** Today's midnight, in UTC. */
  readonly #today: number;
  readonly #random: Random;

  constructor(now: Date, random: Random) {
    this.#today = Date.parse(dateOf(now));
    this.#random = random;
  }

  /** Calendar date some days after today; before it if negative. */
  date(daysAhead: number): string {
    return dateOf(new Date(this.#today + daysAhead * DAY_MS));
  }

  /** Last day of a month, some months after this one. */
  monthEnd(monthsAhead: number): string {
    const today = new Date(this.#today);
    return dateOf(new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + monthsAhead + 1, 0)));
  }

  /** Days from a calendar date to today. */
  daysSince(date: string): number {
    return Math.round((this.#today - Date.parse(date)) / DAY_MS);
  }

  /** A minute of a working day, at least one day before today. A day of a weekend counts as the Friday before it. */
  workTime(daysAgo: number): Date {
    const day = new Date(this.#today - Math.max(1, Math.round(daysAgo)) * DAY_MS);
    const weekend = [2, 0, 0, 0, 0, 0, 1][day.getUTCDay()] ?? 0;
    const minute = WORK.firstMinute + this.#random.between(0, WORK.minutes);
    const seconds = this.#random.between(0, 59);
    return new Date(day.getTime() - weekend * DAY_MS + minute * MINUTE_MS + seconds * 1000);
  }
}

/** Adds minutes to a time. */
export const minutesAfter = (time: Date, minutes: number) => new Date(time.getTime() + minutes * MINUTE_MS);

/** Numbers that look random and are the same in each run. */
export interface Random {
  /** An integer from `min` to `max`, both included. */
  between: (min: number, max: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  pick: <T>(items: readonly [T, ...T[]]) => T;
}

/** A generator of Mulberry32, which has 32 bits of state. @param seed any text */
export function createRandom(seed: string): Random {
  let state = Buffer.from(seed).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 7);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    pick: ([first, ...others]) => {
      const index = between(0, others.length);
      return index === 0 ? first : (others[index - 1] ?? first);
    },
  };
}
