import * as fc from 'fast-check';
import { Finding } from './finding.ts';
import type { Kind } from './finding.ts';
import { counted, requireAsLeft } from './oracle.ts';
import type { Service } from './service.ts';

/** How long a suite may go on. */
export interface Budget {
  seed: number;
  /** Cases at most. */
  runs: number;
  /** Milliseconds after which no other case begins. */
  time: number;
  /** Which case to begin with, to repeat it. */
  path: string | undefined;
}

export interface Suite {
  name: string;
  /** Its part of the time. */
  share: number;
  /** @returns how many cases there were @throws Finding */
  run(service: Service, budget: Budget): Promise<number>;
}

/** What became of a suite. */
export interface Row {
  suite: string;
  cases: number;
  requests: number;
  seed: number;
  found: Kind | 'broken' | undefined;
  message: string | undefined;
  /** The case that failed. */
  path: string | undefined;
}

/** A property that failed: the first case that did, which is where a repetition begins. */
class Failed extends Error {
  readonly path: string;

  constructor(path: string, counterexample: string, cause: unknown) {
    super(counterexample, { cause });
    this.path = path;
  }
}

/**
 * Tries a property until runs or time are used up.
 * @throws Failed with the smallest case that fails
 */
export async function holds<T>(
  arbitrary: fc.Arbitrary<T>,
  check: (given: T) => Promise<void>,
  { seed, runs, time, path }: Budget,
): Promise<number> {
  // When the time is over, the last case goes on by itself: it is waited for, and counts.
  let last = Promise.resolve();
  const checked = fc.asyncProperty(arbitrary, (given) => (last = check(given)));
  const tried = await fc.check(checked, {
    seed,
    numRuns: runs,
    ...(path !== undefined && { path }),
    interruptAfterTimeLimit: time,
    markInterruptAsFailure: false,
  });
  if (tried.failed) {
    const { errorInstance, counterexample, counterexamplePath } = tried;
    throw new Failed(counterexamplePath?.split(':')[0] ?? '0', fc.stringify(counterexample), errorInstance);
  }
  await last.catch((error: unknown) => {
    throw new Failed(String(tried.numRuns), 'the last case', error);
  });
  return tried.numRuns;
}

/**
 * Tries all of these in an order that the seed decides, until the time is used up.
 * @throws Failed with the first case that fails
 */
export async function each<T>(
  all: readonly T[],
  check: (given: T) => Promise<void>,
  { seed, runs, time, path = '0' }: Budget,
): Promise<number> {
  const [shuffled = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), { seed, numRuns: 1 });
  const end = Date.now() + time;
  let tried = Number(path);
  for (const given of shuffled.slice(tried, runs)) {
    if (Date.now() > end) break;
    await check(given).catch((error: unknown) => {
      throw new Failed(String(tried), fc.stringify(given), error);
    });
    tried += 1;
  }
  return tried;
}

/** Runs a suite, whatever comes of it. */
export async function runSuite(suite: Suite, service: Service, budget: Budget): Promise<Row> {
  const before = counted.requests;
  const row = { suite: suite.name, seed: budget.seed, cases: 0, found: undefined, message: undefined, path: undefined };
  const requests = () => counted.requests - before;
  const faults = service.faults().length;
  try {
    const cases = await suite.run(service, budget);
    await requireAsLeft(service);
    if (!service.isAlive()) throw new Finding('unanswered', 'the service has ended');
    const [fault] = service.faults().slice(faults);
    if (fault !== undefined) throw new Finding('5xx', `the log says ${fault}`);
    return { ...row, cases, requests: requests() };
  } catch (error) {
    const cause = error instanceof Failed ? error.cause : error;
    const found = cause instanceof Finding ? cause.kind : ('broken' as const);
    const detail =
      cause instanceof Error
        ? cause instanceof Finding
          ? cause.message
          : (cause.stack ?? cause.message)
        : String(cause);
    const message = error instanceof Failed ? `${detail}\nof ${error.message}` : detail;
    return { ...row, requests: requests(), found, message, path: error instanceof Failed ? error.path : undefined };
  }
}
