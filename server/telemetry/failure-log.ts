import type { LogFn, Logger } from 'pino';
import { ApiError } from '../../entities/api-error.ts';
import { processCounters } from '../http/process-counters.ts';

/** Milliseconds between two lines of one kind of failure. */
const INTERVAL_MS = 10_000;
/** Maximum number of kinds that one message has at a time. Further kinds are one kind. */
const MAX_KINDS = 100;
/** Maximum number of causes of an error that distinguish kinds. */
const MAX_CAUSES = 5;
/** Level of warnings, the lowest of a failure. https://github.com/pinojs/pino/blob/main/docs/api.md#loggerlevels-object */
export const WARN_LEVEL = 40;

/** Lines of one kind of failure since the last one that was written. */
interface Repetition {
  suppressed: number;
  writeLast: (suppressed: number) => void;
  timer: NodeJS.Timeout;
}

interface FailureLog {
  /** Hook of pino. */
  logMethod: (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;
  /** Writes the last suppressed line of each kind, before the process exits. */
  flush: () => void;
}

/**
 * Limits log lines of warnings and errors, because an outage of the database fails every request and every job. Of each kind of
 * failure the first line is written, and then at most one in ten seconds: the last one, with the number of suppressed ones.
 * Counts every line, also below the minimum level.
 */
export function limitFailures({ minLevel = 0, intervalMs = INTERVAL_MS } = {}): FailureLog {
  const repetitions = new Map<string, Map<string, Repetition>>();

  /** Ends the interval of a kind. Begins the next one if it has suppressed a line. */
  function endInterval(kinds: Map<string, Repetition>, kind: string): void {
    const repetition = kinds.get(kind);
    if (repetition === undefined) return;
    if (repetition.suppressed === 0) kinds.delete(kind);
    else {
      repetition.writeLast(repetition.suppressed - 1);
      repetition.suppressed = 0;
      repetition.timer.refresh();
    }
  }

  return {
    logMethod(args, method, level) {
      if (level < WARN_LEVEL) {
        method.apply(this, args);
        return;
      }
      const { fields, message } = partsOf(args);
      processCounters.failures.set(message, (processCounters.failures.get(message) ?? 0) + 1);
      if (level < minLevel) return;
      const kinds = repetitions.get(message) ?? new Map<string, Repetition>();
      repetitions.set(message, kinds);
      const exactKind = kindOf(fields);
      const kind = kinds.has(exactKind) || kinds.size < MAX_KINDS ? exactKind : '';
      const repetition = kinds.get(kind);
      const writeLast = (suppressed: number) => method.call(this, { ...fields, suppressed }, message);
      if (repetition === undefined) {
        method.apply(this, args);
        const timer = setTimeout(() => endInterval(kinds, kind), intervalMs).unref();
        kinds.set(kind, { suppressed: 0, writeLast, timer });
      } else {
        repetition.suppressed += 1;
        repetition.writeLast = writeLast;
      }
    },
    flush() {
      for (const kinds of repetitions.values()) {
        for (const { suppressed, writeLast, timer } of kinds.values()) {
          clearTimeout(timer);
          if (suppressed > 0) writeLast(suppressed - 1);
        }
        kinds.clear();
      }
    },
  };
}

/** Returns the fields and the message of a line, which are its arguments in one of the forms that pino accepts. */
function partsOf([first, second]: readonly unknown[]): { fields: object; message: string } {
  if (typeof first === 'string') return { fields: {}, message: first };
  const message = typeof second === 'string' ? second : '';
  if (first instanceof Error) return { fields: { err: first }, message };
  return { fields: typeof first === 'object' && first !== null ? first : {}, message };
}

/**
 * Identifies a kind of failure of one message: company, and the reason, or else types, codes, messages and origins of the error
 * and its causes. Ids of requests do not count, nor do the causes of a 503: one outage has several.
 */
function kindOf(fields: object): string {
  const kind = ['company', 'code', 'setting'].map((name) => String(Reflect.get(fields, name)));
  kind.push(...['reason', 'detail'].map((name) => withoutValues(Reflect.get(fields, name))));
  let cause: unknown = Reflect.has(fields, 'reason') ? undefined : Reflect.get(fields, 'err');
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === 'object' && cause !== null; depth++) {
    const [type, name, code, message, stack] = ['type', 'name', 'code', 'message', 'stack'].map((field) =>
      Reflect.get(Object(cause), field),
    );
    kind.push(String(type ?? name), String(code), withoutValues(message));
    // Without a code, the line that threw the error distinguishes it.
    if (code === undefined) kind.push(/^ +at .*$/m.exec(String(stack))?.[0] ?? '');
    cause = cause instanceof ApiError && cause.code === 'unavailable' ? undefined : Reflect.get(cause, 'cause');
  }
  return JSON.stringify(kind);
}

/** Values in a message: quoted text other than a name of a table, column or constraint; ids; numbers. */
const VALUES = /"(?![a-z_]+")[^"]*"|'[^']*'|\b[\da-f]{8}-[\da-f-]{27}\b|\d+/gi;

/** Maximum number of characters of a text that distinguish kinds. */
const MAX_KIND_TEXT = 500;

const withoutValues = (text: unknown): string => String(text).slice(0, MAX_KIND_TEXT).replaceAll(VALUES, '…');
