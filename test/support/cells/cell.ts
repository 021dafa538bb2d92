import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import { afterAll } from 'vitest';
import type { Cell } from '../../../cli/move.ts';
import { openPostgreSql } from '../../../database/postgresql/open.ts';
import type { AppRouter } from '../../../procedures/index.ts';
import { withClient } from '../database/client.ts';
import { sql } from '../database/database.ts';
import { createScratchDatabase } from '../database/scratch-database.ts';
import { OPERATOR_TOKEN } from '../http/client.ts';
import { startServer } from '../http/server.ts';

/** A cell as `company move` reaches it. @param company for the procedures of one company */
export function cellAt(url: string, company: { id: number }): Cell {
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const client = createTRPCUntypedClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/trpc`,
        headers: ({ op }) =>
          op.path.endsWith('freeze') ? { ...headers, 'X-Company-Id': String(company.id) } : headers,
      }),
    ],
  });
  return { url, headers, call: (procedure, input) => client.mutation(`management.${procedure}`, input) };
}

/**
 * Starts another cell on the server of DATABASE_URL, with the secret of cursors and the version of the data of the test worker's
 * database.
 */
export async function startOtherCell(serverUrl: string) {
  const { url: ownerUrl, serviceUrl, drop } = await createScratchDatabase(serverUrl);
  const database = await openPostgreSql(serviceUrl, { ownerUrl });
  await database.migrate();
  const [secret] = await sql<{ value: string }>(
    `select encode(value, 'hex') as value from secret where name = 'cursor'`,
  );
  await withClient(ownerUrl, (client) =>
    client.query(`update secret set value = decode($1, 'hex') where name = 'cursor'`, [secret?.value]),
  );
  const [version] = await sql<{ data: string }>('select data from data_version');
  await withClient(ownerUrl, (client) => client.query('update data_version set data = $1', [version?.data]));
  afterAll(async () => {
    await database.close();
    await drop();
  });
  const url = await startServer(database);
  return { url, database, ownerUrl };
}
