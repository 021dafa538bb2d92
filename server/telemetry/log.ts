import { setTimeout as wait } from 'node:timers/promises';
import { destination, pino, stdSerializers, symbols } from 'pino';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { redactor } from './redact.ts';

/** Bytes of one write: so many reach a pipe whole, so that lines of several processes are not mixed. */
const MAX_WRITE_BYTES = 4096;
/** Bytes that are worth a write of their own: each costs more than ten lines. */
const MIN_WRITE_BYTES = 3072;
/** Milliseconds after which fewer are written too. */
const FLUSH_INTERVAL_MS = 200;
/** Milliseconds that the last lines may take. */
const FLUSH_TIMEOUT_MS = 1000;
/** Bytes that wait for whoever reads the lines. When he does not, further lines are lost, rather than the process. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * JSON lines on stdout, written beside the work and not in its way. Whatever is logged, no secret gets through.
 * @param secrets texts that are secret here, beside what can be told by its form
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
  stdout.on('error', () => {}); // whoever read it is gone, which is no reason to end
  return pino({ level, hooks: { streamWrite: redactor(secrets) }, serializers: { err: serializeError } }, stdout);
}

/** Writes what waits, for who exits next. What is not read in time is lost: else the process would wait for its reader. */
export async function flushLog(log: Logger): Promise<void> {
  const flush = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    log.flush(() => resolve());
    return promise;
  };
  // Each time a little may be left that is not worth a write of its own.
  const written = flush().then(flush).then(flush);
  await Promise.race([written, wait(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  // pino would go on when the process exits, and for ever where the reader is gone.
  Object.assign(Object(Reflect.get(log, symbols.streamSym)), { flushSync: () => {} });
}

/** An error without what PostgreSQL quotes in it of rows, which are made of bodies. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return { ...stdSerializers.err(error), detail: undefined, where: undefined, internalQuery: undefined };
}
