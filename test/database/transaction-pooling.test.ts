import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { OPERATOR_TOKEN } from '../support/tenants/company.ts';
import { databaseUrl, ownerUrl } from '../support/database/database.ts';
import { hasPgBouncer, startPgBouncer } from '../support/servers/pgbouncer.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { http, startServer } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** Fewer than the connections of a process, so that server connections change between transactions. */
const POOL_SIZE = 3;
const POLL_OPTIONS = { timeout: 120_000, interval: 50 };

describe.runIf(databaseUrl !== undefined && hasPgBouncer)(
  'behind a PgBouncer in transaction mode (PostgreSQL only; skipped without pgbouncer 1.21 or newer):',
  () => {
    let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
    let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
    let admin: Client;
    let processes: { database: Database; at: string }[];
    let acme: Awaited<ReturnType<typeof createCompanyIn>>;
    let rival: Awaited<ReturnType<typeof createCompanyIn>>;
    beforeAll(async () => {
      scratch = await createScratchDatabase(ownerUrl ?? '');
      admin = new Client({ connectionString: scratch.url });
      await admin.connect();
      // Wrong defaults, so that each transaction must set its settings.
      await admin.query(`alter database ${admin.database} set datestyle = 'German, DMY'`);
      await admin.query(`alter database ${admin.database} set timezone = 'Asia/Tokyo'`);
      bouncer = await startPgBouncer(scratch.serviceUrl, POOL_SIZE);
      processes = await Promise.all(
        ['one', 'other'].map(async () => {
          const database = await openPostgreSql(bouncer.url, { ownerUrl: scratch.url, pooler: 'transaction' });
          await database.migrate();
          await database.start();
          return { database, at: await startServer(database) };
        }),
      );
      const [{ database } = expect.fail('none')] = processes;
      [acme, rival] = [await createCompanyIn(database, 'Acme'), await createCompanyIn(database, 'Rival')];
    });
    afterAll(async () => {
      await Promise.all(processes.map(({ database }) => database.close()));
      await bouncer.stop();
      await admin.end();
      await scratch.drop();
    });

    /** Sends each request of a company to a random process. */
    const requester =
      (key: string) =>
      (method: string, path: string, body?: unknown, random = Math.random()) =>
        http(method, path, { key, body, baseUrl: processes[Math.floor(random * processes.length)]?.at });

    test('interleaved requests of two companies stay isolated, and each write is attributed to its principal', async () => {
      const traffic = async ({ key, framework }: typeof acme, name: string) => {
        const send = requester(key);
        for (let turn = 0; turn < 30; turn++) {
          const created = await send('POST', `${VENDORS}/new`, { name: `${name} ${turn}` });
          expect(created).toMatchObject({ status: 201, body: { createdBy: { name: `Integration of ${name}` } } });
          const { uniqueId } = created.body as { uniqueId: string };
          const [edited, task, listed] = await Promise.all([
            send('PATCH', `${VENDORS}/${uniqueId}/edit`, { description: `of ${name}` }),
            send('POST', `/external/task/framework/${framework}/new`, { title: name, dueDate: '2026-12-31' }),
            send('GET', `${VENDORS}/list`),
          ]);
          expect(edited.status).toBe(204);
          expect(task).toMatchObject({ status: 201, body: { title: name, dueDate: '2026-12-31' } });
          expect(listed.status).toBe(200);
          for (const vendor of listed.body as { name: string }[]) expect(vendor.name).toMatch(new RegExp(`^${name} `));
        }
      };
      // Each company alone could use all connections.
      const both = [acme, rival].flatMap((one, at) =>
        Array.from({ length: POOL_SIZE }, () => traffic(one, at === 0 ? 'Acme' : 'Rival')),
      );
      await Promise.all(both);
      const { rows } = await admin.query<{
        company_id: number;
        name: string;
        key: string;
        events: string;
        wrong: string;
      }>(
        `select e.company_id, u.name, e.api_key_id as key, count(*) as events,
           count(*) filter (where e.changes::text ~ case u.name when 'Integration of Acme' then 'Rival' else 'Acme' end) as wrong
         from audit_event e join company_user u on u.company_id = e.company_id and u.unique_id = e.user_id
         where e.resource_type in ('vendor', 'task') group by 1, 2, 3 order by 1`,
      );
      const each = { events: String(30 * 3 * POOL_SIZE), wrong: '0' };
      expect(rows).toEqual([
        { company_id: acme.id, name: 'Integration of Acme', key: acme.keyId, ...each },
        { company_id: rival.id, name: 'Integration of Rival', key: rival.keyId, ...each },
      ]);
    });

    test('processes of two versions may use one statement name for different texts', async () => {
      const runs = Array.from({ length: 10 * POOL_SIZE }, async (_, run) => {
        const index = run % processes.length;
        const statement = defineStatement<object, object>('pooler.versions', `select ${index} as version`);
        expect(await processes[index]?.database.run(statement, {}, {})).toEqual([{ version: index }]);
      });
      await Promise.all(runs);
    });

    test('session settings do not remain on a connection', async () => {
      const settings = ['app.company', 'app.user', 'app.key', 'datestyle', 'timezone', 'statement_timeout'];
      const query = `select ${settings.map((name) => `nullif(current_setting('${name}', true), '') as "${name}"`).join()}, (select count(*) from vendor) as vendors, pg_sleep(0.1)::text`;
      const rows = await Promise.all(Array.from({ length: 2 * POOL_SIZE }, () => bouncer.sql(query)));
      for (const [row] of rows) {
        expect(row).toMatchObject({
          'app.company': null,
          'app.user': null,
          'app.key': null,
          datestyle: 'German, DMY',
          timezone: 'Asia/Tokyo',
          statement_timeout: '0',
          vendors: '0',
        });
      }
    });

    test('statements and the ORM read dates and times in the usual format', async () => {
      const send = requester(acme.key);
      const { body } = await send('GET', '/external/audit/list?limit=1');
      expect(body).toMatchObject({ items: [{ occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }] });
      const { items } = body as { items: { occurredAt: string }[] };
      expect(Math.abs(Date.now() - Date.parse(items[0]?.occurredAt ?? ''))).toBeLessThan(3_600_000);
      const at = '2999-01-02T03:04:05.000Z';
      const { uniqueId } = await acme.manage.apiKey.create({ name: 'Dated', expiresAt: at });
      expect(await acme.manage.apiKey.get({ uniqueId })).toMatchObject({ expiresAt: at });
    });

    test('PostgreSQL cancels a statement that takes too long', async () => {
      const sleep = defineStatement<object, object>('pooler.sleep', 'select pg_sleep(20)');
      const failure = await processes[0]?.database.run(sleep, {}, {}).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'unavailable',
        cause: { message: 'canceling statement due to statement timeout' },
      });
    });

    test('an idempotent request is executed once, whichever process gets the retry', async () => {
      const headers = { 'Idempotency-Key': 'behind-a-pooler' };
      const responses = [];
      for (const { at } of [...processes, ...processes])
        responses.push(
          await http('POST', `${VENDORS}/new`, { key: acme.key, baseUrl: at, headers, body: { name: 'Once' } }),
        );
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    });

    test('a revoked key is rejected by all processes within a second', async () => {
      const { key, uniqueId } = await acme.manage.apiKey.create({ name: 'To be revoked' });
      const [, other] = processes;
      const send = async () => (await http('GET', `${VENDORS}/list`, { key, baseUrl: other?.at })).status;
      expect(await send()).toBe(200);
      await acme.manage.apiKey.revoke({ uniqueId });
      const committed = performance.now();
      let accepted = committed;
      await vi.waitUntil(async () => {
        const startedAt = performance.now();
        const isAccepted = (await send()) === 200;
        if (isAccepted) accepted = startedAt;
        return !isAccepted;
      }, POLL_OPTIONS);
      expect(accepted - committed).toBeLessThan(1000);
    });

    test('requests succeed after PostgreSQL has closed all connections', async () => {
      const send = requester(acme.key);
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await vi.waitUntil(async () => (await send('GET', `${VENDORS}/list`)).status === 200, POLL_OPTIONS);
      const writes = await Promise.all(
        Array.from({ length: 20 }, () => send('POST', `${VENDORS}/new`, { name: 'After' })),
      );
      for (const { status } of writes) expect([201, 503]).toContain(status);
      await vi.waitUntil(
        async () => (await send('POST', `${VENDORS}/new`, { name: 'At last' })).status === 201,
        POLL_OPTIONS,
      );
    });

    test('the service starts, and reports an error without DATABASE_POOLER', async () => {
      const settings = {
        DATABASE_URL: bouncer.url,
        MIGRATION_DATABASE_URL: scratch.url,
        DATA_DIR: await temporaryFolder(),
        OPERATOR_TOKEN,
      };
      const withoutPooler = await startServiceProcess(settings);
      expect(withoutPooler.output).toMatch(/^DATABASE_URL: unsupported startup parameter.*DATABASE_POOLER/m);
      const started = await startServiceProcess({ ...settings, DATABASE_POOLER: 'transaction' });
      const { status } = await http('GET', `${VENDORS}/list`, { key: acme.key, baseUrl: started.url });
      expect(status).toBe(200);
      expect(await stopServiceProcess(started)).toBe(0);
    });

    test.for(['transaction', 'session'])(
      'the service does not start if a PgBouncer in %s mode ignores startup parameters',
      async (mode) => {
        const ignored = 'options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout';
        const pooler = { pool_mode: mode, ignore_startup_parameters: ignored };
        const ignoring = await startPgBouncer(scratch.serviceUrl, POOL_SIZE, pooler);
        onTestFinished(() => ignoring.stop());
        const settings = { DATABASE_URL: ignoring.url, RUN_MIGRATIONS: 'false', OPERATOR_TOKEN };
        const line =
          'the server ignores the startup parameters statement_timeout, lock_timeout, idle_in_transaction_session_timeout, jit, as a pooler with ignore_startup_parameters does; if this is a connection pooler in transaction mode, set DATABASE_POOLER=transaction';
        expect(await runProgram('server/main.js', [], settings)).toEqual(
          expect.objectContaining({ code: 1, stdout: '', stderr: `DATABASE_URL: ${line}\n` }),
        );
      },
    );

    test('the service does not start if PgBouncer does not track prepared statements', async () => {
      const untracked = await startPgBouncer(scratch.serviceUrl, POOL_SIZE, { max_prepared_statements: 0 });
      const settings = { DATABASE_URL: untracked.url, RUN_MIGRATIONS: 'false', DATABASE_POOLER: 'transaction' };
      try {
        const ended = await startServiceProcess({ ...settings, OPERATOR_TOKEN });
        expect(await stopServiceProcess(ended)).toBe(1);
        expect(ended.output).toBe(
          'DATABASE_POOLER: expected PgBouncer 1.21 or newer in transaction mode, with max_prepared_statements above 0\n',
        );
      } finally {
        await untracked.stop();
      }
    });
  },
);
