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

/** The Refusal that a driver's error stands for: 503 when the database cannot be reached; nothing for a fault of ours. */
export function asRefusal(error: unknown): Refusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Refusal) return cause;
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const unavailable =
      UNAVAILABLE_ERRNO.has(code) ||
      (code.length === 5 && UNAVAILABLE_CLASSES.has(code.slice(0, 2))) ||
      UNAVAILABLE_MESSAGES.test(cause.message);
    if (unavailable) {
      return new Refusal('unavailable', 'The database cannot be reached. Try again shortly.', { cause: error });
    }
  }
  return undefined;
}
