import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { VERSION } from '../../database/version.ts';
import { withClient } from '../support/database/client.ts';
import { ownerUrl } from '../support/database/database.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

describe.runIf(ownerUrl !== undefined)(
  'the start ends with one line that names the setting (PostgreSQL only), for',
  () => {
    let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
    beforeAll(async () => {
      scratch = await createScratchDatabase(ownerUrl ?? '');
    });
    afterAll(() => scratch.drop());

    /** Runs SQL as the owner of the database. */
    const admin = (sql: string) => withClient(scratch.url, (client) => client.query(sql));

    const OPERATOR_TOKEN = 'x'.repeat(32);

    async function expectStartError(settings: Record<string, string>, line: RegExp): Promise<void> {
      const result = await runProgram('server/main.js', [], {
        OPERATOR_TOKEN,
        DATABASE_URL: scratch.serviceUrl,
        ...settings,
      });
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
      expect(result.stderr).toMatch(line);
    }

    const role = () => new URL(scratch.serviceUrl).username;

    test('a database or a role that does not exist', async () => {
      const url = new URL(scratch.serviceUrl);
      url.pathname = '/nowhere';
      await expectStartError({ DATABASE_URL: url.href }, /^DATABASE_URL: .*nowhere/);
      const nobody = new URL(scratch.serviceUrl);
      nobody.username = 'nobody_at_all';
      await expectStartError({ DATABASE_URL: nobody.href }, /^DATABASE_URL: .*nobody_at_all/);
    });

    test('a missing privilege to connect', async () => {
      await admin(`revoke connect on database ${role()} from public`);
      await expectStartError({}, /^DATABASE_URL: permission denied for database/);
      await admin(`grant connect on database ${role()} to public`);
    });

    test('a schema that may not be created, or with RUN_MIGRATIONS=false', async () => {
      await expectStartError({}, /^DATABASE_URL: permission denied for schema public$/m);
      await expectStartError(
        { MIGRATION_DATABASE_URL: scratch.serviceUrl },
        /^MIGRATION_DATABASE_URL: permission denied/,
      );
      await expectStartError({ RUN_MIGRATIONS: 'false' }, /^RUN_MIGRATIONS: .*migrations/);
      const nowhere = Object.assign(new URL(scratch.url), { pathname: '/nowhere' }).href;
      await expectStartError({ MIGRATION_DATABASE_URL: nowhere }, /^MIGRATION_DATABASE_URL: .*nowhere/);
    });

    test('a migration that fails', async () => {
      await admin('create function public.uuid_v7() returns int language sql as $$ select 1 $$');
      await expectStartError(
        { MIGRATION_DATABASE_URL: scratch.url },
        /^MIGRATION_DATABASE_URL: migration Migration20261122100000_functions failed: function "uuid_v7" already exists/,
      );
      await admin('drop function public.uuid_v7()');
    });

    test('a schema that lacks migrations until a process with RUN_MIGRATIONS=only has applied them and exited', async () => {
      await expectStartError({ RUN_MIGRATIONS: 'false' }, /^RUN_MIGRATIONS: is false, but migrations are pending$/m);
      const settings = { DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
      for (let run = 0; run < 2; run++) {
        const result = await runProgram('server/main.js', [], { ...settings, RUN_MIGRATIONS: 'only' });
        expect(result).toEqual({ code: 0, stdout: '', stderr: `Migrations applied for version ${VERSION}\n` });
      }
      const started = await startServiceProcess({ ...settings, RUN_MIGRATIONS: 'false', OPERATOR_TOKEN });
      expect(await (await fetch(`${started.url}/readyz`)).json()).toEqual({ status: 'ok' });
      await stopServiceProcess(started);
    });

    test('missing privileges of the service role', async () => {
      const database = await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
      await database.migrate();
      expect(await database.missingPrivileges()).toBeUndefined();
      await database.close();
      await admin(`revoke insert, update on task from ${role()}`);
      await expectStartError({}, /^DATABASE_URL: the role \S+ lacks insert on task, update on task$/m);
    });

    test('privileges that a killed migration did not grant are granted by the next start', async () => {
      const settings = { DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url, OPERATOR_TOKEN };
      const started = await startServiceProcess(settings);
      expect(await (await fetch(`${started.url}/readyz`)).json()).toEqual({ status: 'ok' });
      await stopServiceProcess(started);
    });

    test('data of a newer version', async () => {
      await admin(`update data_version set data = '90.1.0', oldest = '90.0.0'`);
      const line =
        /^DATABASE_URL: the database contains data of version 90\.1\.0, and the oldest version that can run on them is 90\.0\.0; this is \S+; start a newer version, or restore a backup \(docs\/upgrading\.md\)$/m;
      await expectStartError({ MIGRATION_DATABASE_URL: scratch.url }, line);
      await expectStartError({ RUN_MIGRATIONS: 'false' }, line);
    });

    test('tables that no version created', async () => {
      await admin(`update mikro_orm_migrations set name = name || '_else'`);
      await admin('drop table data_version, service_process');
      await expectStartError(
        { MIGRATION_DATABASE_URL: scratch.url },
        /^DATABASE_URL: the database contains tables that no version of this service created \(api_key, api_key_request, api_key_usage and \d+ more\); use another one, or move them away$/m,
      );
    });
  },
);

test.runIf(ownerUrl !== undefined).for([
  ['is a superuser', (role: string) => `alter role ${role} superuser`],
  ['may truncate tables', (role: string) => `grant truncate on vendor to ${role}`],
  ['may create temporary tables', (role: string) => `grant temporary on database ${role} to public`],
] as const)('a database role that %s is logged and listed in /readyz (PostgreSQL only)', async ([reason, grant]) => {
  const scratch = await createScratchDatabase(ownerUrl ?? '');
  const role = new URL(scratch.serviceUrl).username;
  const database = await openPostgreSql(scratch.url, { ownerUrl: scratch.url });
  try {
    const service = await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
    await service.migrate();
    await service.close();
    await database.query('test.excess-privilege', grant(role), []);
    const settings = { DATABASE_URL: scratch.serviceUrl, RUN_MIGRATIONS: 'false', OPERATOR_TOKEN: 'x'.repeat(32) };
    const started = await startServiceProcess(settings);
    const risk = 'can bypass tenant isolation or the audit log in PostgreSQL';
    const excessPrivilege = `the role ${role} ${reason}`;
    expect(await (await fetch(`${started.url}/readyz`)).json()).toEqual({
      status: 'ok',
      warnings: [`DATABASE_URL: ${excessPrivilege} and ${risk}`],
    });
    await stopServiceProcess(started);
    const lines = started.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: 40, setting: 'DATABASE_URL', excessPrivilege, msg: `database role: ${risk}` }),
    );
  } finally {
    await database.close();
    await scratch.drop();
  }
});
