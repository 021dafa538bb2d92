/** Counters of this process that are always kept. A shed request ends too early for a request observer to see it. */
export const processCounters = {
  /** Requests rejected because the server was overloaded. */
  shedRequests: 0,
  /** Runs of background jobs by name and result. */
  jobRuns: new Map<string, Record<'succeeded' | 'failed', number>>(),
  /** Sign-ins by result. A right password without the code that it needs is neither succeeded nor failed. */
  signIns: { succeeded: 0, failed: 0, code_required: 0, rate_limited: 0 },
  /** Log lines of warnings and errors by message, suppressed ones included. */
  failures: new Map<string, number>(),
};
