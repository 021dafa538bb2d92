import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgreSql, hasPostgreSql, binDirectory } from '../support/servers/postgresql.ts';
import type { PostgreSqlServer } from '../support/servers/postgresql.ts';
import { databaseUrl } from '../support/database/database.ts';
import { OPERATOR_TOKEN } from '../support/http/client.ts';
import {
  execFileAsync,
  runProgram,
  startServiceProcess,
  stopServiceProcess,
} from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const folder = await temporaryFolder();
const docsDirectory = join(import.meta.dirname, '../..', 'docs');

/** Returns the code blocks of a language in a section of docs/operations/backup.md. */
async function codeBlocks(language: 'sh' | 'sql', section: string): Promise<string[]> {
  const page = await readFile(join(docsDirectory, 'operations/backup.md'), 'utf8');
  const text = page.split(/^## /m).find((block) => block.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
}

const splitStatements = (sql: string) =>
  sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .filter((text) => text.trim() !== '');

/** Returns the URL of a database on a server for a role. */
const urlForRole = (role: string, { url }: PostgreSqlServer, name = 'compliance') =>
  Object.assign(new URL(url), { username: role, pathname: `/${name}` }).href;

// Uses separate servers, because roles exist once per server. Skipped if PostgreSQL is not installed.
describe.runIf(databaseUrl !== undefined && hasPostgreSql)(
  'the commands of docs/operations/backup.md for PostgreSQL:',
  { timeout: 180_000 },
  () => {
    let old: PostgreSqlServer;
    let other: PostgreSqlServer;
    let key: string;
    let head: string;

    /** Runs a script with the programs of PostgreSQL in PATH, in the directory of the dumps. */
    const shell = (script: string) =>
      execFileAsync('bash', ['-euc', script], {
        cwd: folder,
        env: {
          PATH: `${binDirectory}:${process.env['PATH']}`,
          BACKUP_URL: urlForRole('compliance_backup', old),
          SUPERUSER_URL: old.url,
          OWNER_URL: urlForRole('compliance_owner', old),
          NEW_URL: other.url,
        },
      });
    const serve = (server: PostgreSqlServer, environment: Record<string, string>) =>
      startServiceProcess({
        DATA_DIR: join(folder, 'data'),
        OPERATOR_TOKEN,
        DATABASE_URL: urlForRole('compliance_app', server),
        ...environment,
      });
    async function manage<Output>({ url }: ServiceProcess, ...args: string[]): Promise<Output> {
      const { stdout } = await runProgram('cli/manage.ts', [...args, '--server', url], { OPERATOR_TOKEN });
      return JSON.parse(stdout) as Output;
    }
    const vendors = async ({ url }: ServiceProcess, body?: object) => {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
      const path = `${url}/external/smart-inventory/vendor/${body === undefined ? 'list' : 'new'}`;
      const response = await fetch(
        path,
        body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
      );
      const json: unknown = await response.json();
      return json;
    };

    beforeAll(async () => {
      [old, other] = await Promise.all([startPostgreSql(), startPostgreSql()]);
      for (const statement of splitStatements(await readFile(join(docsDirectory, 'application-role.sql'), 'utf8')))
        await old.sql(statement);
      const [role = ''] = await codeBlocks('sql', 'PostgreSQL: pg_dump');
      for (const statement of splitStatements(role)) await old.sql(statement);
      const service = await serve(old, { MIGRATION_DATABASE_URL: urlForRole('compliance_owner', old) });
      await manage(service, 'company', 'create', '--name', 'Acme');
      ({ key } = await manage<{ key: string }>(service, 'api-key', 'create', '--name', 'Sync'));
      await vendors(service, { name: 'Cloud Ltd' });
      ({
        head: { hash: head },
      } = await manage<{ head: { hash: string } }>(service, 'audit', 'verify'));
      await stopServiceProcess(service);
    });

    afterAll(() => Promise.all([old.remove(), other.remove()]));

    test('the owner of the tables cannot dump them, because row-level security would leave out the rows', async () => {
      const dump = 'pg_dump --format=plain --file=owner.sql';
      await expect(shell(`${dump} "$OWNER_URL"`)).rejects.toThrow('affected by row-level security policy');
      await shell(`${dump} --enable-row-security "$OWNER_URL"`);
      expect(await readFile(join(folder, 'owner.sql'), 'utf8')).not.toContain('Cloud Ltd');
    });

    test('dump and restore the same database, with its roles and its audit log', async () => {
      const [dump = '', restore = ''] = await codeBlocks('sh', 'PostgreSQL: pg_dump');
      await shell(dump);
      for (const name of ['compliance.dump', 'roles.sql'])
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(expect.arrayContaining(['compliance.dump', 'roles.sql']));
      await shell(restore);

      const service = await serve(other, { RUN_MIGRATIONS: 'false' });
      expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok' });
      expect(await vendors(service)).toMatchObject([{ name: 'Cloud Ltd' }]);
      const verify = () => manage(service, 'audit', 'verify', '--head', head);
      expect(await verify()).toMatchObject({ intact: true, unsealed: 0, head: { hash: head } });
      await vendors(service, { name: 'After the restore' });
      expect(await verify()).toMatchObject({
        intact: true,
        unsealed: 0,
        head: { hash: expect.not.stringContaining(head) },
      });
      await stopServiceProcess(service);
    });

    test('restore into an existing empty database in one transaction', async () => {
      await other.sql('drop database compliance with (force)');
      await other.sql('create database compliance owner compliance_owner');
      await other.sql('revoke temporary on database compliance from public');
      await shell(`pg_restore --single-transaction --dbname="${urlForRole('postgres', other)}" compliance.dump`);
      const service = await serve(other, { RUN_MIGRATIONS: 'false' });
      expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok' });
      expect(await vendors(service)).toMatchObject([{ name: 'Cloud Ltd' }]);
      await stopServiceProcess(service);
    });
  },
);
