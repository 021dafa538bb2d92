import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { ownerUrl } from '../support/database/database.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

describe.runIf(ownerUrl !== undefined)('a start ends with one line that names the setting (PostgreSQL only):', () => {
  let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
  beforeAll(async () => {
    scratch = await createScratchDatabase(ownerUrl ?? '');
  });
  afterAll(() => scratch.drop());

  /** Runs SQL as who made the database. */
  async function admin(sql: string): Promise<void> {
    const client = new Client({ connectionString: scratch.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  const OPERATOR_TOKEN = 'x'.repeat(32);

  async function expectEnd(given: Record<string, string>, line: RegExp): Promise<void> {
    const said = await runProgram('server/main.js', [], { OPERATOR_TOKEN, DATABASE_URL: scratch.serviceUrl, ...given });
    expect(said).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(said.stderr).toMatch(line);
  }

  const role = () => new URL(scratch.serviceUrl).username;

  test('a database or a role that is not there', async () => {
    const url = new URL(scratch.serviceUrl);
    url.pathname = '/nowhere';
    await expectEnd({ DATABASE_URL: url.href }, /^DATABASE_URL: .*nowhere/);
    const nobody = new URL(scratch.serviceUrl);
    nobody.username = 'nobody_at_all';
    await expectEnd({ DATABASE_URL: nobody.href }, /^DATABASE_URL: .*nobody_at_all/);
  });

  test('a database that may not be connected to', async () => {
    await admin(`revoke connect on database ${role()} from public`);
    await expectEnd({}, /^DATABASE_URL: permission denied for database/);
    await admin(`grant connect on database ${role()} to public`);
  });

  test('a schema that may not be made, or that nobody is to make', async () => {
    await expectEnd({}, /^DATABASE_URL: permission denied for schema public$/m);
    await expectEnd({ MIGRATION_DATABASE_URL: scratch.serviceUrl }, /^MIGRATION_DATABASE_URL: permission denied/);
    await expectEnd({ RUN_MIGRATIONS: 'false' }, /^RUN_MIGRATIONS: .*migrations/);
    const gone = { MIGRATION_DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/nowhere' };
    await expectEnd(gone, /^MIGRATION_DATABASE_URL: .*ECONNREFUSED/);
  });

  test('rights that the role of the service lacks', async () => {
    const database = await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
    await database.migrate();
    expect(await database.missingPrivileges()).toBeUndefined();
    await database.close();
    await admin(`revoke insert, update on task from ${role()}`);
    await expectEnd({}, /^DATABASE_URL: the role \S+ lacks insert on task, update on task$/m);
  });
});
