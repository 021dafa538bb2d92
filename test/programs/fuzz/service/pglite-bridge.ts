import { Database } from '../../../../database/database.ts';
import { defineStatement } from '../../../../entities/statements/define-statement.ts';

// Preloaded into a service that runs on the embedded database, which no other process can open. Runs SQL that the suite sends
// over IPC, and sends the rows back.

export interface SqlRequest {
  id: number;
  text: string;
  values: unknown[];
}
export type SqlResponse = { id: number } & ({ rows: unknown[] } | { error: string });

let openedDatabase: Database | undefined;
const setDatabase = (database: Database) => (openedDatabase = database);

// The service calls this method when it starts with its database.
const start: Database['start'] = Reflect.get(Database.prototype, 'start');
Object.defineProperty(Database.prototype, 'start', {
  value(this: Database) {
    setDatabase(this);
    return start.apply(this);
  },
});

/** The superuser bypasses row-level security. */
const setSuperuser = defineStatement('fuzz.set-role', 'set local role postgres');
let statementCount = 0;
/** Longer than the deadline of requests, because nothing repeats a query of the suite. */
const TIMEOUT_MS = 60_000;

async function runSql({ id, text, values }: SqlRequest): Promise<SqlResponse> {
  try {
    if (openedDatabase === undefined) throw new Error('no database is open');
    const name = `fuzz.${(statementCount += 1)}`;
    const rows = await openedDatabase.transaction(
      async (runner) => {
        await runner.run(setSuperuser, {}, {});
        return runner.run({ name, text, values: () => values, rowScope: 'company' }, {}, {});
      },
      { deadline: performance.now() + TIMEOUT_MS },
    );
    return { id, rows };
  } catch (error) {
    return { id, error: String(error) };
  }
}

process.on('message', (request: SqlRequest) => {
  void runSql(request).then((response) => process.send?.(response));
});
// The IPC channel must not keep the process alive.
process.channel?.unref();
