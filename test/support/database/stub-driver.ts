import type { QueryOptions } from '../../../database/postgresql/connection-pool.ts';
import type { DatabaseDriver } from '../../../database/driver.ts';
import type { BoundStatement } from '../../../entities/statements/define-statement.ts';

/** What a statement was asked with. */
interface StubCall extends QueryOptions {
  statement: BoundStatement;
}

interface StubDriver extends DatabaseDriver {
  run(bound: BoundStatement, terms: QueryOptions): Promise<{ rows: Record<string, unknown>[] }>;
  /** All that it was asked, the first one first. */
  readonly calls: StubCall[];
}

const unsupported = () => Promise.reject(new Error('there is no database here'));

/**
 * A driver that has no database: it answers each statement with rows that the test gives by the statement's name, and keeps
 * what it was asked. What nobody gave rows for throws.
 */
export function stubDriver(
  rowsByName: Readonly<Record<string, (bound: BoundStatement) => Record<string, unknown>[]>>,
): StubDriver {
  const calls: StubCall[] = [];
  const run = async (bound: BoundStatement, terms: QueryOptions) => {
    calls.push({ statement: bound, ...terms });
    const rows = rowsByName[bound.name]?.(bound);
    if (rows === undefined) throw new Error(`nobody answers ${bound.name}`);
    return { rows };
  };
  return {
    calls,
    run,
    transaction: (work, until) => work((bound) => run(bound, { write: true, deadline: until })),
    openOrm: unsupported,
    migrate: unsupported,
    isMigrated: unsupported,
    missingPrivileges: unsupported,
    excessPrivileges: unsupported,
    listenForKeyChanges: unsupported,
    close: async () => {},
  };
}
