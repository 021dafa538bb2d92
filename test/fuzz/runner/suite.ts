import * as fc from 'fast-check';
import { Finding } from './finding.ts';
import type { FindingKind } from './finding.ts';
import { counters, requireUnchanged } from './oracle.ts';
import type { Service } from '../service/service.ts';

/** How long a suite may go on. */
export interface Budget {
  seed: number;
  /** Cases at most. */
  maxRuns: number;
  /** Milliseconds after which no other case begins. */
  timeLimitMs: number;
  /** Which case to begin with, to repeat it. */
  path: string | undefined;
}

export interface Suite {
  name: string;
  /** Its part of the time. */
  timeShare: number;
  /** @returns how many cases there were @throws Finding */
  run(service: Service, budget: Budget): Promise<number>;
}

/** What became of a suite. */
export interface SuiteResult {
  suite: string;
  cases: number;
  requests: number;
  seed: number;
  finding: FindingKind | 'suite error' | undefined;
  message: string | undefined;
  /** The case that failed. */
  path: string | undefined;
}

/** A property that failed: the first case that did, which is where a repetition begins. */
class FailedCase extends Error {
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
export async function checkProperty<T>(
  arbitrary: fc.Arbitrary<T>,
  check: (given: T) => Promise<void>,
  { seed, maxRuns: runs, timeLimitMs: time, path }: Budget,
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
    throw new FailedCase(counterexamplePath?.split(':')[0] ?? '0', fc.stringify(counterexample), errorInstance);
  }
  await last.catch((error: unknown) => {
    throw new FailedCase(String(tried.numRuns), 'the last case', error);
  });
  return tried.numRuns;
}

/**
 * Tries all of these in an order that the seed decides, until the time is used up.
 * @throws Failed with the first case that fails
 */
export async function checkAll<T>(
  all: readonly T[],
  check: (given: T) => Promise<void>,
  { seed, maxRuns: runs, timeLimitMs: time, path = '0' }: Budget,
): Promise<number> {
  const [shuffled = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), { seed, numRuns: 1 });
  const end = Date.now() + time;
  let tried = Number(path);
  for (const given of shuffled.slice(tried, runs)) {
    if (Date.now() > end) break;
    await check(given).catch((error: unknown) => {
      throw new FailedCase(String(tried), fc.stringify(given), error);
    });
    tried += 1;
  }
  return tried;
}

/** Runs a suite, whatever comes of it. */
export async function runSuite(suite: Suite, service: Service, budget: Budget): Promise<SuiteResult> {
  const before = counters.requests;
  const row = {
    suite: suite.name,
    seed: budget.seed,
    cases: 0,
    finding: undefined,
    message: undefined,
    path: undefined,
  };
  const requests = () => counters.requests - before;
  const faults = service.loggedErrors().length;
  try {
    const cases = await suite.run(service, budget);
    await requireUnchanged(service);
    if (!service.isRunning()) throw new Finding('no response', 'the service has ended');
    const [fault] = service.loggedErrors().slice(faults);
    if (fault !== undefined) throw new Finding('5xx', `the log says ${fault}`);
    return { ...row, cases, requests: requests() };
  } catch (error) {
    const cause = error instanceof FailedCase ? error.cause : error;
    const found = cause instanceof Finding ? cause.kind : ('suite error' as const);
    const detail =
      cause instanceof Error
        ? cause instanceof Finding
          ? cause.message
          : (cause.stack ?? cause.message)
        : String(cause);
    const message = error instanceof FailedCase ? `${detail}\nof ${error.message}` : detail;
    return {
      ...row,
      requests: requests(),
      finding: found,
      message,
      path: error instanceof FailedCase ? error.path : undefined,
    };
  }
}
