import { setTimeout as wait } from 'node:timers/promises';
import { destination, pino, stdSerializers, symbols } from 'pino';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { WARN_LEVEL, limitFailures } from './failure-log.ts';
import { redactor } from './redact.ts';

/** Maximum bytes of one write. Linux writes up to 4096 bytes to a pipe atomically (PIPE_BUF, pipe(7)), so lines stay whole. */
const MAX_WRITE_BYTES = 4096;
/** Bytes that trigger a write. Fewer, larger writes are cheaper (bench/README.md). */
const MIN_WRITE_BYTES = 3072;
/** Milliseconds after which smaller amounts are written. */
const FLUSH_INTERVAL_MS = 200;
/** Maximum number of milliseconds for writing the last lines. */
const FLUSH_TIMEOUT_MS = 1000;
/** Maximum bytes buffered for the reader of stdout. If it does not read, further lines are dropped to protect the process. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Creates the log: JSON lines, written to stdout asynchronously. Secrets are redacted from every line, and repeated failures
 * are suppressed.
 * @param secrets secret texts to redact, in addition to secrets that are recognized by their format
 */
export function createLog(level: Settings['logLevel'], secrets?: readonly string[]): Logger {
  const stdout = destination({
    dest: 1,
    sync: false,
    minLength: MIN_WRITE_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxWrite: MAX_WRITE_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
  });
  stdout.on('error', () => {}); // the reader closed the pipe; the service continues
  const { values } = pino.levels;
  const failures = limitFailures({ minLevel: values[level] ?? Infinity });
  const log = pino(
    {
      // Warnings reach the hook at every level, because it counts them.
      level: (values[level] ?? Infinity) > WARN_LEVEL ? 'warn' : level,
      hooks: { streamWrite: redactor(secrets), logMethod: failures.logMethod },
      serializers: { err: serializeError },
    },
    stdout,
  );
  flushFailures.set(log, failures.flush);
  return log;
}

/** Functions that write the suppressed lines of a log. */
const flushFailures = new WeakMap<Logger, () => void>();

/** Writes buffered lines before the process exits. Lines that are not written in time are lost, so that the exit cannot hang. */
export async function flushLog(log: Logger): Promise<void> {
  flushFailures.get(log)?.();
  const flush = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    log.flush(() => resolve());
    return promise;
  };
  // One flush may leave bytes below the minimum length, so it is repeated.
  const written = flush().then(flush).then(flush);
  await Promise.race([written, wait(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  // pino flushes again when the process exits, and would hang if the reader is gone.
  Object.assign(Object(Reflect.get(log, symbols.streamSym)), { flushSync: () => {} });
}

/** Fields of errors in which PostgreSQL quotes row data. https://www.postgresql.org/docs/current/protocol-error-fields.html */
const ROW_DATA_FIELDS: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery']);

/** Serializes an error without row data, also of the errors in it. */
const serializeError = (error: unknown): unknown =>
  error instanceof Error ? withoutRowData(stdSerializers.err(error)) : error;

/** Copies a serialized error, and those in its fields. */
const withoutRowData = (error: object): object =>
  Object.fromEntries(
    Object.entries(error).flatMap(([field, value]: [string, unknown]) =>
      ROW_DATA_FIELDS.has(field) ? [] : [[field, Array.isArray(value) ? value.map(copyError) : copyError(value)]],
    ),
  );

const copyError = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'stack' in value && 'message' in value ? withoutRowData(value) : value;
