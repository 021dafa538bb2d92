import { DatabaseError } from 'pg';
import { ApiError } from '../entities/api-error.ts';

/** SQLSTATE classes and codes that say the database cannot serve now, whoever asks. */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);
/** An idle transaction was ended. */
const IDLE_IN_TRANSACTION_SESSION_TIMEOUT = '25P03';
/** The server takes no writes: it is a standby, or was told so. It may go on reading. */
const READ_ONLY_SQL_TRANSACTION = '25006';
const UNAVAILABLE_CODES = new Set(
  `ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOENT EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL ENOTFOUND EAI_AGAIN`
    .split(' ')
    .concat(IDLE_IN_TRANSACTION_SESSION_TIMEOUT, READ_ONLY_SQL_TRANSACTION),
);
/** Message of the error for a replica that has not replayed the log far enough. */
export const BEHIND = 'The replica is behind';
/** What pg says, and who waits for a statement in its way. */
export const QUERY_TIMEOUT = 'Query read timeout';
const CONNECTION_LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed)/i;
const UNAVAILABLE_MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after|the database system is)/i;
/** The connection was cut, by the server or on the way (as PgBouncer says it: 08P01); a new one may do. */
const CONNECTION_LOST_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P05',
  '08006',
  '08003',
  '08P01',
  IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
]);

/** Another transaction was in the way: serialization failure, deadlock. The whole statement may be run again. */
const SERIALIZATION_CONFLICT_CODES = new Set(['40001', '40P01']);
/** What the role lacks the right to. */
const INSUFFICIENT_PRIVILEGE = '42501';
/** In the way for longer than a caller should wait. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a transaction was rolled back only because of another, and may be run again. */
export const isSerializationConflict = (error: unknown): boolean =>
  errorChain(error).some((cause) => SERIALIZATION_CONFLICT_CODES.has(errorCode(cause)));

/** Whether the connection broke. What was sent over it was carried out or not; to read again does no harm. */
export const isConnectionLost = (error: unknown): boolean =>
  errorChain(error).some(
    (cause) => CONNECTION_LOST_CODES.has(errorCode(cause)) || CONNECTION_LOST_MESSAGES.test(cause.message),
  );

/** Whether the server did not answer in time. */
export const isTimeout = (error: unknown): boolean =>
  errorChain(error).some(({ message }) => message === QUERY_TIMEOUT);

/** Whether the server that refused this would have carried it out if it only read. */
export const isReadOnlyServer = (error: unknown): boolean =>
  errorChain(error).some((cause) => errorCode(cause) === READ_ONLY_SQL_TRANSACTION);

/** Whether a replica had not come so far as was asked of it. */
export const isReplicaBehind = (error: unknown): boolean => errorChain(error).some(({ message }) => message === BEHIND);

/** Whether PostgreSQL has answered with an error, and goes on; and not with one that another server might not give. */
export const isStatementError = (error: unknown): boolean =>
  isReplicaBehind(error) ||
  (error instanceof DatabaseError &&
    !['FATAL', 'PANIC'].includes(error.severity ?? '') &&
    !isConnectionLost(error) &&
    !isReadOnlyServer(error));

function errorChain(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

const errorCode = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Whether the server ended the connection over it, or made none. */
const isFatal = (error: Error): boolean => 'severity' in error && error.severity === 'FATAL';

/** Whether a role may not do this. */
export const isInsufficientPrivilege = (error: unknown): boolean =>
  errorChain(error).some((cause) => errorCode(cause) === INSUFFICIENT_PRIVILEGE);

/** The Refusal that a driver's error stands for: 503 when the database cannot be reached; nothing for a fault of ours. */
export function asApiError(error: unknown): ApiError | undefined {
  for (const cause of errorChain(error)) {
    if (cause instanceof ApiError) return cause;
    const code = errorCode(cause);
    const unavailable =
      UNAVAILABLE_CODES.has(code) ||
      isFatal(cause) ||
      SERIALIZATION_CONFLICT_CODES.has(code) ||
      code === LOCK_NOT_AVAILABLE ||
      (code.length === 5 && UNAVAILABLE_CLASSES.has(code.slice(0, 2))) ||
      CONNECTION_LOST_MESSAGES.test(cause.message) ||
      UNAVAILABLE_MESSAGES.test(cause.message);
    if (unavailable) {
      return new ApiError('unavailable', 'The database cannot serve this now. Try again shortly.', { cause: error });
    }
  }
  return undefined;
}
