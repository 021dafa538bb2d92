import { destination, pino, stdSerializers } from 'pino';
import type { Logger } from 'pino';
import type { Settings } from './config.ts';
import { redactor } from './redact.ts';

/** Bytes of one write: so many reach a pipe whole, so that lines of several processes are not mixed. */
const WRITTEN_AT_ONCE = 4096;
/** Bytes that are worth a write of their own: each costs more than ten lines. */
const WORTH_A_WRITE = 3072;
/** Milliseconds after which fewer are written too. */
const AT_LATEST = 200;
/** Bytes that wait for whoever reads the lines. When he does not, further lines are lost, rather than the process. */
const WAITING_MOST = 16 * 1024 * 1024;

/**
 * JSON lines on stdout, written beside the work and not in its way. Whatever is logged, no secret gets through.
 * @param secrets texts that are secret here, beside what can be told by its form
 */
export function createLog(level: Settings['logLevel'], secrets?: readonly string[]): Logger {
  return pino(
    { level, hooks: { streamWrite: redactor(secrets) }, serializers: { err: withoutQuotes } },
    destination({
      dest: 1,
      sync: false,
      minLength: WORTH_A_WRITE,
      periodicFlush: AT_LATEST,
      maxWrite: WRITTEN_AT_ONCE,
      maxLength: WAITING_MOST,
    }),
  );
}

/** Resolves when what waited is written. */
export function flushLog(log: Logger): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  log.flush(() => resolve());
  return promise;
}

/** An error without what PostgreSQL quotes in it of rows, which are made of bodies. */
function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return { ...stdSerializers.err(error), detail: undefined, where: undefined, internalQuery: undefined };
}
