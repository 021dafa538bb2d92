import * as fc from 'fast-check';
import { Finding } from './finding.ts';
import type { FindingKind } from './finding.ts';
import { counters, requireUnchanged } from './oracle.ts';
import type { Service } from '../service/service.ts';

/** Limits of a suite. */
export interface Budget {
  seed: number;
  /** Maximum number of cases. */
  maxRuns: number;
  /** No case starts after this time. */
  timeLimitMs: number;
  /** First case, to repeat a finding. */
  path: string | undefined;
}

export interface Suite {
  name: string;
  /** Weight of the suite when the total time is divided. */
  timeShare: number;
  /**
   * @returns the number of cases
   * @throws Finding
   */
  run(service: Service, budget: Budget): Promise<number>;
}

/** Result of a suite. */
export interface SuiteResult {
  suite: string;
  cases: number;
  requests: number;
  seed: number;
  finding: FindingKind | 'suite error' | undefined;
  message: string | undefined;
  /** The case that failed, to repeat it. */
  path: string | undefined;
}

/** A failed case. `path` is the first case that failed, from which a repetition starts. */
class FailedCase extends Error {
  readonly path: string;

  constructor(path: string, counterexample: string, cause: unknown) {
    super(counterexample, { cause });
    this.path = path;
  }
}

/**
 * Checks a property until the runs or the time are used up.
 * @throws FailedCase with the smallest failing case
 */
export async function checkProperty<T>(
  arbitrary: fc.Arbitrary<T>,
  check: (testCase: T) => Promise<void>,
  { seed, maxRuns, timeLimitMs, path }: Budget,
): Promise<number> {
  // At the time limit, fast-check returns while the last case still runs. Its result counts too.
  let last = Promise.resolve();
  const checked = fc.asyncProperty(arbitrary, (testCase) => (last = check(testCase)));
  const result = await fc.check(checked, {
    seed,
    numRuns: maxRuns,
    ...(path !== undefined && { path }),
    interruptAfterTimeLimit: timeLimitMs,
    markInterruptAsFailure: false,
  });
  if (result.failed) {
    const { errorInstance, counterexample, counterexamplePath } = result;
    throw new FailedCase(counterexamplePath?.split(':')[0] ?? '0', fc.stringify(counterexample), errorInstance);
  }
  await last.catch((error: unknown) => {
    throw new FailedCase(String(result.numRuns), 'the last case', error);
  });
  return result.numRuns;
}

/**
 * Checks all cases in an order that the seed determines, until the runs or the time are used up.
 * @throws FailedCase with the first failing case
 */
export async function checkAll<T>(
  cases: readonly T[],
  check: (testCase: T) => Promise<void>,
  { seed, maxRuns, timeLimitMs, path = '0' }: Budget,
): Promise<number> {
  const [shuffled = []] = fc.sample(fc.shuffledSubarray([...cases], { minLength: cases.length }), { seed, numRuns: 1 });
  const end = Date.now() + timeLimitMs;
  let index = Number(path);
  for (const testCase of shuffled.slice(index, maxRuns)) {
    if (Date.now() > end) break;
    await check(testCase).catch((error: unknown) => {
      throw new FailedCase(String(index), fc.stringify(testCase), error);
    });
    index += 1;
  }
  return index;
}

/** Runs a suite and returns its result. Never throws. */
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
  const errorCount = service.loggedErrors().length;
  try {
    const cases = await suite.run(service, budget);
    await requireUnchanged(service);
    if (!service.isRunning()) throw new Finding('no response', 'the service has ended');
    const [loggedError] = service.loggedErrors().slice(errorCount);
    if (loggedError !== undefined) throw new Finding('5xx', `logged error: ${loggedError}`);
    return { ...row, cases, requests: requests() };
  } catch (error) {
    const cause = error instanceof FailedCase ? error.cause : error;
    const finding = cause instanceof Finding ? cause.kind : ('suite error' as const);
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
      finding,
      message,
      path: error instanceof FailedCase ? error.path : undefined,
    };
  }
}
