import { DatabaseError } from 'pg';
import { ApiError } from '../entities/api-error.ts';
import { FROZEN_SQLSTATE, FrozenError } from '../entities/company/freezing.ts';
import { LOCKED_SQLSTATE, lockedError } from '../entities/task/locked.ts';

/**
 * SQLSTATE classes of errors that make the database unavailable, whatever the statement is.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);
const IDLE_IN_TRANSACTION_SESSION_TIMEOUT = '25P03';
/** The server is a standby, or `default_transaction_read_only` is on. Reads may still succeed. */
const READ_ONLY_SQL_TRANSACTION = '25006';
const NETWORK_CODES = new Set(
  `ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOENT EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL ENOTFOUND EAI_AGAIN`.split(
    ' ',
  ),
);
const UNAVAILABLE_CODES = new Set([...NETWORK_CODES, IDLE_IN_TRANSACTION_SESSION_TIMEOUT, READ_ONLY_SQL_TRANSACTION]);
/** Codes of Node for a connection that cannot be encrypted or verified. */
const TLS_CODES = /^(?:ERR_TLS|ERR_SSL|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_/;
/** Message of the error for a replica that has not replayed the log far enough. */
export const BEHIND = 'The replica is behind';
/** Message of pg for a query timeout, also used by `PreparedQuery`. */
export const QUERY_TIMEOUT = 'Query read timeout';
const CONNECTION_LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed)/i;
const UNAVAILABLE_MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after|the database system is)/i;
/** The server or the network closed the connection; a new one may work. PgBouncer reports 08P01. */
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

/** Errors that PgBouncer also reports as 08P01, and that a later attempt would not change. */
const LASTING_POOLER_MESSAGES =
  /unsupported startup parameter|no such (?:database|user)|authentication failed|SSL required/i;
/** SQLSTATE classes of errors that an attempt to connect gets while a server starts, stops or is full. */
const STARTING_CLASSES = new Set(['08', '53', '57']);

/** Serialization failure and deadlock: the whole transaction may run again. */
const SERIALIZATION_CONFLICT_CODES = new Set(['40001', '40P01']);
const INSUFFICIENT_PRIVILEGE = '42501';
const FOREIGN_KEY_VIOLATION = '23503';
/** Another transaction holds a lock for longer than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** A statement reached `statement_timeout`, or an operator canceled it. */
const QUERY_CANCELED = '57014';

/** True if PostgreSQL rolled the transaction back only because of a concurrent one. It may run again. */
export const isSerializationConflict = (error: unknown): boolean =>
  errorChain(error).some((cause) => SERIALIZATION_CONFLICT_CODES.has(errorCode(cause)));

/** True if the transaction ended because of the locks of another one, so that a repetition can succeed. */
export const isLockConflict = (error: unknown): boolean =>
  isSerializationConflict(error) || errorChain(error).some((cause) => errorCode(cause) === LOCK_NOT_AVAILABLE);

/** True if only this statement failed: it took too long, or other transactions held its rows. Others may succeed. */
export const isStatementCanceled = (error: unknown): boolean =>
  isLockConflict(error) || errorChain(error).some((cause) => errorCode(cause) === QUERY_CANCELED);

/** True if the connection broke. The statement may have been executed, so only reads are safe to retry. */
export const isConnectionLost = (error: unknown): boolean =>
  errorChain(error).some(
    (cause) => CONNECTION_LOST_CODES.has(errorCode(cause)) || CONNECTION_LOST_MESSAGES.test(cause.message),
  );

/** True if a later attempt to connect may succeed: the server is unreachable, starts, stops or is full. */
export function isUnreachable(error: unknown): boolean {
  return errorChain(error).some((cause) => {
    const code = errorCode(cause);
    if (LASTING_POOLER_MESSAGES.test(cause.message)) return false;
    if (code.length === 5 && STARTING_CLASSES.has(code.slice(0, 2))) return true;
    return (
      NETWORK_CODES.has(code) ||
      CONNECTION_LOST_MESSAGES.test(cause.message) ||
      UNAVAILABLE_MESSAGES.test(cause.message)
    );
  });
}

/** True if the server did not respond within the query timeout. */
export const isTimeout = (error: unknown): boolean =>
  errorChain(error).some(({ message }) => message === QUERY_TIMEOUT);

/** True if the server rejected a write because it is read-only. */
export const isReadOnlyServer = (error: unknown): boolean =>
  errorChain(error).some((cause) => errorCode(cause) === READ_ONLY_SQL_TRANSACTION);

/** True if a replica has not replayed the log up to the required position. */
export const isReplicaBehind = (error: unknown): boolean => errorChain(error).some(({ message }) => message === BEHIND);

/**
 * True if PostgreSQL rejected the statement and the connection stays usable.
 * False for errors that a retry on another connection or server may avoid.
 */
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

/** True if the server closed or rejected the connection with this error. */
const isFatal = (error: Error): boolean => 'severity' in error && error.severity === 'FATAL';

/** True if the role lacks a privilege. */
export const isInsufficientPrivilege = (error: unknown): boolean =>
  errorChain(error).some((cause) => errorCode(cause) === INSUFFICIENT_PRIVILEGE);

/** True if a row refers to one that is missing or deleted. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  errorChain(error).some((cause) => errorCode(cause) === FOREIGN_KEY_VIOLATION);

const constraintOf = (error: Error): string =>
  'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '';
/** Name of a foreign key to the company. */
const COMPANY_CONSTRAINT = /_company_id_foreign$/;

/** True if a row violated the constraint with this name. */
export const violates = (error: unknown, constraint: string): boolean =>
  errorChain(error).some((cause) => constraintOf(cause) === constraint);

/**
 * Maps a driver error to `ApiError`: 503 if the database is unavailable or the company is frozen, 401 for a row of a company that
 * was erased during the request, 409 for a locked task. Undefined for all other errors.
 */
export function asApiError(error: unknown): ApiError | undefined {
  for (const cause of errorChain(error)) {
    if (cause instanceof ApiError) return cause;
    const code = errorCode(cause);
    if (code === FROZEN_SQLSTATE) return new FrozenError();
    if (code === LOCKED_SQLSTATE) return lockedError();
    if (code === FOREIGN_KEY_VIOLATION && COMPANY_CONSTRAINT.test(constraintOf(cause)))
      return new ApiError('unauthorized', 'The company was erased.', { cause });
    const unavailable =
      UNAVAILABLE_CODES.has(code) ||
      TLS_CODES.test(code) ||
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

/** An error whose message is one complete line, which its cause would not explain better. */
export class DescribedError extends Error {}

/** Describes an error in one line, with the original message of the driver. A host with several addresses fails with an error for each. */
export function errorLine(error: unknown): string {
  const chain = errorChain(error);
  const cause = chain.find((each) => each instanceof DescribedError) ?? chain.at(-1) ?? error;
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(errorLine))].join('; ');
  return (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ');
}

/** Error of a migration, with the message of PostgreSQL in one line. */
export class MigrationError extends DescribedError {
  constructor(migration: string, cause: unknown) {
    const remedy = isLockConflict(cause)
      ? '; another transaction holds the table: end it (pg_stat_activity), then start again'
      : '';
    super(`migration ${migration} failed: ${errorLine(cause)}${remedy}`, { cause });
  }
}
