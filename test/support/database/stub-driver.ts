import type { QueryOptions } from '../../../database/connection/connection-pool.ts';
import type { DatabaseDriver } from '../../../database/driver.ts';
import type { BoundStatement } from '../../../entities/statements/define-statement.ts';

/** A call to `run`. */
interface StubCall extends QueryOptions {
  statement: BoundStatement;
}

interface StubDriver extends DatabaseDriver {
  run(bound: BoundStatement, options: QueryOptions): Promise<{ rows: Record<string, unknown>[] }>;
  /** All calls to `run`, oldest first. */
  readonly calls: StubCall[];
}

const unsupported = () => Promise.reject(new Error('stub driver: not supported'));

/**
 * A driver without a database. It returns the rows that the test defines for the name of each statement, and records calls.
 * @throws Error for a statement without defined rows
 */
export function stubDriver(
  rowsByName: Readonly<Record<string, (bound: BoundStatement) => Record<string, unknown>[]>>,
): StubDriver {
  const calls: StubCall[] = [];
  const run = async (bound: BoundStatement, options: QueryOptions) => {
    calls.push({ statement: bound, ...options });
    const rows = rowsByName[bound.name]?.(bound);
    if (rows === undefined) throw new Error(`stub driver: no rows for ${bound.name}`);
    return { rows };
  };
  return {
    calls,
    run,
    transaction: (work, options) => work((bound) => run(bound, { ...options, write: true })),
    openOrm: unsupported,
    migrate: unsupported,
    isMigrated: unsupported,
    inspect: unsupported,
    missingPrivileges: unsupported,
    excessPrivileges: unsupported,
    listen: unsupported,
    close: async () => {},
  };
}
