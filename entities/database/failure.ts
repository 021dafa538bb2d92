import { Refusal } from '../refusal.ts';

/** SQLSTATE classes and codes that say the database cannot serve now, whoever asks. */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57']);
const UNAVAILABLE_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
]);
const UNAVAILABLE_MESSAGES =
  /^(timeout exceeded when trying to connect|Query read timeout|Connection terminated|Cannot use a pool after|Client has encountered a connection error|the database system is)/i;

/** Another transaction was in the way: serialization failure, deadlock. The whole statement may be run again. */
const IN_THE_WAY = new Set(['40001', '40P01']);
/** In the way for longer than a caller should wait. */
const LOCK_TIMEOUT = '55P03';

/** Whether a statement that is its own transaction was rolled back only because of another, and may be run again. */
export function mayRunAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && IN_THE_WAY.has(error.code);
}

/** The Refusal that a driver's error stands for: 503 when the database cannot be reached; nothing for a fault of ours. */
export function asRefusal(error: unknown): Refusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Refusal) return cause;
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const unavailable =
      UNAVAILABLE_ERRNO.has(code) ||
      IN_THE_WAY.has(code) ||
      code === LOCK_TIMEOUT ||
      (code.length === 5 && UNAVAILABLE_CLASSES.has(code.slice(0, 2))) ||
      UNAVAILABLE_MESSAGES.test(cause.message);
    if (unavailable) {
      return new Refusal('unavailable', 'The database cannot serve this now. Try again shortly.', { cause: error });
    }
  }
  return undefined;
}
