import type { Terms } from '../../entities/database/connections.ts';
import type { DatabaseDriver } from '../../entities/database/driver.ts';
import type { Bound } from '../../entities/database/statement.ts';

/** What a statement was asked with. */
interface Asked extends Terms {
  bound: Bound;
}

interface AnsweringDriver extends DatabaseDriver {
  run(bound: Bound, terms: Terms): Promise<{ rows: Record<string, unknown>[] }>;
  /** All that it was asked, the first one first. */
  readonly asked: Asked[];
}

const none = () => Promise.reject(new Error('there is no database here'));

/**
 * A driver that has no database: it answers each statement with rows that the test gives by the statement's name, and keeps
 * what it was asked. What nobody gave rows for throws.
 */
export function answeringDriver(
  rowsOf: Readonly<Record<string, (bound: Bound) => Record<string, unknown>[]>>,
): AnsweringDriver {
  const asked: Asked[] = [];
  const run = async (bound: Bound, terms: Terms) => {
    asked.push({ bound, ...terms });
    const rows = rowsOf[bound.name]?.(bound);
    if (rows === undefined) throw new Error(`nobody answers ${bound.name}`);
    return { rows };
  };
  return {
    asked,
    run,
    transaction: (work, until) => work((bound) => run(bound, { writes: true, until })),
    openOrm: none,
    migrate: none,
    isMigrated: none,
    tooWeak: none,
    tooStrong: none,
    listen: none,
    close: async () => {},
  };
}
