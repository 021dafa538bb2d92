/** Counters of this process that are always kept. A shed request ends too early for a request observer to see it. */
export const processCounters = {
  /** Requests rejected because the server was overloaded. */
  shedRequests: 0,
  /** Rows of imports that this process applied, by result. */
  importRows: { created: 0, updated: 0, unchanged: 0, failed: 0 },
  /** Attempts to deliver an event to a webhook, by result. */
  webhookAttempts: { succeeded: 0, failed: 0 },
  /** Sign-ins by result. A right password without the code that it needs is neither succeeded nor failed. */
  signIns: { succeeded: 0, failed: 0, code_required: 0, rate_limited: 0 },
  /** Log lines of warnings and errors by message, suppressed ones included. */
  failures: new Map<string, number>(),
};
