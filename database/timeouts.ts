/**
 * Milliseconds after which nobody waits on. A request ends within five seconds, whatever hangs: the look-up of its key and all
 * that it runs have `request` together, with waits for a connection and further attempts; counting its rate has 300 more.
 */
export const TIMEOUTS_MS = {
  request: 4500,
  /** Of that, for the key. */
  apiKeyLookup: 2000,
  connect: 1000,
  /** For whoever asks whether this process is ready. */
  readinessCheck: 1000,
  /** For an answer, where the request leaves so much: a server that is frozen does not end a statement itself. */
  query: 3000,
  /** Told to PostgreSQL, which ends a statement itself when nobody waits for it any more. */
  statement: 2500,
  /** More than the second after which PostgreSQL looks for a deadlock: that is tried again, a wait in vain is not. */
  lock: 1500,
  idleInTransaction: 5000,
} as const;
