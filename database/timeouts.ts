/** Timeouts in milliseconds. Together they end each request within five seconds, even if a server hangs. */
export const TIMEOUTS_MS = {
  /** All database work of a request: key lookup, waits for a connection, statements and retries. Rate limiting adds 300. */
  request: 4500,
  /** Lookup of the key or the company of a request, part of `request`. Short, because a server may be unreachable. */
  lookup: 2000,
  connect: 1000,
  readinessCheck: 1000,
  /** Client-side limit of one query, within `request`. A frozen server does not enforce `statement_timeout`. */
  query: 3000,
  /** `statement_timeout`. PostgreSQL cancels the statement before the client stops waiting. */
  statement: 2500,
  /** `lock_timeout`. Longer than `deadlock_timeout` (1 s), so that deadlocks are detected and retried. */
  lock: 1500,
  /** `idle_in_transaction_session_timeout`. */
  idleInTransaction: 5000,
} as const;
