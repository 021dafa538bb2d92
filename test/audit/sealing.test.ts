import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { SEAL_BATCH_SIZE, sealAuditLog, findUnsealedCompanies } from '../../entities/audit/seal-statements.ts';
import { sealWaiting, sealing } from '../../procedures/audit/sealing.ts';
import { toApiError } from '../../procedures/core/errors.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { stubDriver } from '../support/database/stub-driver.ts';
import { createCompany, operator } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { asOwner, database, databaseUrl, explain, sql, tamper } from '../support/database/database.ts';

const root = join(import.meta.dirname, '../..');

/** Retries `work` while it fails with `unavailable`. On a busy machine, requests may exceed their deadline. */
async function retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (toApiError(error).code !== 'unavailable') throw error;
    }
  }
}

const sealCompany = (company: number) =>
  retryUnavailable(
    async () =>
      (await new Session(database, operatorPrincipal(company), 'audit-log-test').one(sealAuditLog, {})).sealed,
  );

interface SealRow {
  seq: number;
  event_id: number;
  hash: string;
}

const listSeals = ({ id }: TestCompany) =>
  sql<SealRow>(
    `select seq::int, event_id::int, encode(hash, 'hex') as hash from audit_seal where company_id = $1 order by seq`,
    id,
  );

/** Creates a company with ten sealed events. */
async function createSealedCompany() {
  const acme = await createCompany();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await acme.vendor.create({ name });
  const { head, ...verified } = await acme.manage.audit.verify({});
  expect(verified).toMatchObject({ intact: true, reason: null, firstBad: null, sealed: 10, unsealed: 0 });
  const seals = await listSeals(acme);
  expect(seals.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(head).toEqual({ seq: 10, hash: seals.at(-1)?.hash, at: expect.stringMatching(/^20.*Z$/) });
  return { acme, seals, head: head?.hash ?? '', event: (seq: number) => seals[seq - 1]?.event_id ?? 0 };
}

/** The timeout only ends polls that hang. A busy machine is many times slower than an idle one. */
const POLL_OPTIONS = { timeout: 280_000 };
vi.setConfig({ testTimeout: 300_000 });

/** Waits until the watermark has passed all events. Every older transaction on the server must end first. */
async function waitUntilSettled({ id }: TestCompany): Promise<void> {
  const eventsAfterWatermark = async () => {
    await sealCompany(id);
    return sql(
      `select (select max(id) from audit_event where company_id = $1)::int - watermark::int as left from audit_watermark where company_id = $1`,
      id,
    );
  };
  await expect.poll(eventsAfterWatermark, POLL_OPTIONS).toEqual([{ left: 0 }]);
}

describe('verification detects', () => {
  test('an event that a superuser edited, and names the event', async () => {
    const { acme, event } = await createSealedCompany();
    await tamper(`update audit_event set changes = '{"name": "x"}' where company_id = ${acme.id} and id = ${event(7)}`);
    await tamper(`update audit_event set request_id = 'x' where company_id = ${acme.id} and id = ${event(9)}`);
    const [row] = await sql<{ unique_id: string }>('select unique_id from audit_event where id = $1', event(7));
    expect(await acme.manage.audit.verify({})).toMatchObject({
      intact: false,
      sealed: 10,
      firstBad: { seq: 7, eventId: event(7), uniqueId: row?.unique_id, action: 'vendor.create' },
      reason: `seq 7: event ${event(7)}, vendor.create, or its seal was modified`,
    });
  });

  test('an edit of any column of an event', async () => {
    const { acme, event } = await createSealedCompany();
    const columns = await sql<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'public' and table_name = 'audit_event' and column_name not in ('company_id', 'id')`,
    );
    const valueByType: Record<string, string> = {
      uuid: 'gen_random_uuid()',
      'timestamp with time zone': `occurred_at + interval '1 millisecond'`,
      'character varying': `'x'`,
      jsonb: `'{"x": null}'`,
      integer: '4711',
    };
    for (const { name, type } of columns) {
      const where = `where company_id = ${acme.id} and id = ${event(4)}`;
      const [before] = await sql<{ value: string | null }>(`select ${name}::text as value from audit_event ${where}`);
      await tamper(`update audit_event set ${name} = ${valueByType[type]} ${where}`);
      const { firstBad } = await acme.manage.audit.verify({});
      expect({ name, firstBad }).toMatchObject({ name, firstBad: { seq: 4 } });
      const value = typeof before?.value === 'string' ? `'${before.value}'` : 'null';
      await tamper(`update audit_event set ${name} = ${value} ${where}`);
      expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true });
    }
    expect(columns.length).toBeGreaterThanOrEqual(9);
  });

  /** Statements of a superuser in the log of a company, by sequence. */
  const forgerOf = ({ acme: { id }, event }: Awaited<ReturnType<typeof createSealedCompany>>) => {
    const where = `where company_id = ${id} and`;
    const forgedId = event(10) + 1_000_000;
    const columns =
      'uuid_v7(), occurred_at, user_id, api_key_id, action, resource_type, resource_id, framework_id, changes, request_id';
    return {
      deleteEvent: (seq: number) => `delete from audit_event ${where} id = ${event(seq)}`,
      copyEvent: (seq: number, to = forgedId) =>
        `insert into audit_event select company_id, ${to}, ${columns} from audit_event ${where} id = ${event(seq)}`,
      deleteSeals: (condition: string) => `delete from audit_seal ${where} ${condition}`,
      updateSeal: (seq: number, set: string) => `update audit_seal set ${set} ${where} seq = ${seq}`,
      addSeal: (seq: string) => `insert into audit_seal values (${id}, ${seq}, ${forgedId}, sha256('x'))`,
      event,
    };
  };
  type Forger = ReturnType<typeof forgerOf>;
  const HIGHEST = '9223372036854775807';
  const MODIFIED = /^seq \d+: event \d+, .* or its seal was modified/;
  const UNSEALED = /has no seal, although all events of that time are sealed/;

  test.for<[string, (db: Forger) => string[], number | null, RegExp]>([
    ['a deleted event', (db) => [db.deleteEvent(3)], 3, /^seq 3: event \d+ is missing$/],
    ['a deleted last event', (db) => [db.deleteEvent(10)], 10, /^seq 10: event \d+ is missing$/],
    [
      'a deleted event and its deleted seal',
      (db) => [db.deleteEvent(3), db.deleteSeals('seq = 3')],
      4,
      /^seq 4: previous seals are missing$/,
    ],
    ['deleted first seals', (db) => [db.deleteSeals('seq <= 2')], 3, /^seq 3: previous seals are missing$/],
    [
      'a deleted event whose following seals were renumbered',
      (db) => [
        db.deleteEvent(3),
        db.deleteSeals('seq = 3'),
        ...[4, 5, 6, 7, 8, 9, 10].map((seq) => db.updateSeal(seq, `seq = ${seq - 1}`)),
      ],
      3,
      MODIFIED,
    ],
    ['an edited seal', (db) => [db.updateSeal(5, `hash = sha256('x')`)], 5, MODIFIED],
    ['a forged last seal', (db) => [db.addSeal('11')], 11, /^seq 11: event \d+ is missing$/],
    [
      'a forged seal with the highest possible number',
      (db) => [db.addSeal(HIGHEST)],
      Number(HIGHEST),
      /previous seals are missing$/,
    ],
    ['a forged event with a forged seal', (db) => [db.copyEvent(10), db.addSeal('11')], 11, MODIFIED],
    [
      'reordered seals',
      (db) => [
        db.updateSeal(6, 'event_id = 0'),
        db.updateSeal(7, `event_id = ${db.event(6)}`),
        db.updateSeal(6, `event_id = ${db.event(7)}`),
      ],
      6,
      MODIFIED,
    ],
    ['an event inserted before sealed events', (db) => [db.copyEvent(2, -1)], null, UNSEALED],
    ['deleted last seals', (db) => [db.deleteSeals('seq > 8')], null, /^event \d+, vendor.create: has no seal/],
  ])('%s', async ([, forge, seq, reason]) => {
    const company = await createSealedCompany();
    await waitUntilSettled(company.acme);
    await tamper(...forge(forgerOf(company)));
    const verified = await company.acme.manage.audit.verify({});
    expect(verified).toMatchObject({ intact: false, firstBad: { seq }, reason: expect.stringMatching(reason) });
  });

  test('last events deleted with their seals, by a head stored outside the database', async () => {
    const { acme, head, seals, event } = await createSealedCompany();
    await tamper(
      `delete from audit_seal where company_id = ${acme.id} and seq > 8`,
      `delete from audit_event where company_id = ${acme.id} and id >= ${event(9)}`,
    );
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 8 });
    expect(await acme.manage.audit.verify({ head: seals[7]?.hash })).toMatchObject({ intact: true });
    expect(await acme.manage.audit.verify({ head })).toMatchObject({
      intact: false,
      firstBad: null,
      reason: `head: ${head} is not in the chain: the events that it sealed were deleted or rewritten`,
    });
  });

  test('a rewritten chain, by a head stored outside the database', async () => {
    const { acme, head, seals, event } = await createSealedCompany();
    await tamper(
      `update audit_event set request_id = 'x' where company_id = ${acme.id} and id = ${event(5)}`,
      `delete from audit_seal where company_id = ${acme.id} and seq >= 5`,
      `update audit_watermark set watermark = 0, candidate = 0 where company_id = ${acme.id}`,
    );
    expect(await acme.manage.audit.verify({ head: seals[3]?.hash })).toMatchObject({ intact: true, sealed: 10 });
    expect(await acme.manage.audit.verify({ head })).toMatchObject({ intact: false });
  });

  test('nothing when the chain has grown since the head was stored', async () => {
    const { acme, head } = await createSealedCompany();
    await acme.vendor.create({ name: 'f' });
    expect(await acme.manage.audit.verify({ head: head.toUpperCase() })).toMatchObject({ intact: true, sealed: 11 });
    await expect(acme.manage.audit.verify({ head: 'abc' })).rejects.toThrow('head: expected 64 hexadecimal digits');
  });
});

describe('the chain of seals', () => {
  test('has the same head when recomputed from an export without the database', async () => {
    const acme = await createCompany('Ächme "\\ 𝄞');
    const { uniqueId } = await acme.newTask({
      title: 'Ünïcode "quoted"',
      labels: ['a\tb\nc', '\u0001\u007f\u2028 𝄞'],
      dueDate: '2026-02-27',
    });
    await acme.task.update({ taskUniqueId: uniqueId, dueDate: null, departmentId: acme.department });
    const { head } = await acme.manage.audit.verify({});
    const guide = await readFile(join(root, 'docs/audit.md'), 'utf8');
    const query = /```sql\n(.*?)```/s.exec(guide)?.[1]?.replace('company_id = 1', `company_id = ${acme.id}`) ?? '';
    const lines = await sql<{ json_build_object: unknown }>(query);
    const recompute = spawn(process.execPath, ['docs/examples/recompute-audit-log.ts'], { cwd: root });
    recompute.stdin.end(lines.map((line) => JSON.stringify(line.json_build_object)).join('\n'));
    expect(await text(recompute.stdout)).toBe(`${head?.seq} ${head?.hash}\n`);
  });

  test('does not depend on session settings', async () => {
    const acme = await createCompany();
    const texts = async (settings: string[]) =>
      asOwner(async (run) => {
        for (const setting of settings) await run(`set local ${setting}`);
        return run('select audit_text(e, 1) from audit_event e where company_id = $1 order by id', acme.id);
      });
    const otherSettings = [
      `timezone = 'Asia/Kolkata'`,
      `datestyle = 'SQL, DMY'`,
      `extra_float_digits = -5`,
      `bytea_output = 'escape'`,
    ];
    expect(await texts(otherSettings)).toEqual(await texts([`timezone = 'UTC'`]));
  });

  test('of a company is independent of other companies', async () => {
    const [acme, rival] = [await createSealedCompany(), await createSealedCompany()];
    await tamper(`update audit_event set request_id = 'x' where company_id = ${rival.acme.id}`);
    expect(await acme.acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 10 });
    expect(await rival.acme.manage.audit.verify({ head: acme.head })).toMatchObject({ intact: false });
  });

  test('contains every event without gaps under concurrent writers and sealers', async () => {
    const acme = await createCompany();
    const writersDone = new AbortController();
    const sealers = Array.from({ length: 4 }, async () => {
      while (!writersDone.signal.aborted) await sealCompany(acme.id);
    });
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let index = 0; index < 20; index++)
          await retryUnavailable(() => acme.vendor.create({ name: `${writer}.${index}` }));
      }),
    );
    writersDone.abort();
    await Promise.all(sealers);
    const events = await acme.events();
    // A retried creation may have run twice, so the number of vendors can exceed 320.
    const vendors = await acme.vendor.list();
    expect(new Set(vendors.map(({ name }) => name)).size).toBe(320);
    expect(events).toHaveLength(vendors.length + 5);
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: events.length, unsealed: 0 });
    const seals = await listSeals(acme);
    expect(seals.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(seals.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  test('is complete up to the call in a company that always has newer events', async () => {
    const acme = await createCompany();
    const session = new Session(database, operatorPrincipal(acme.id), 'audit-log-test').withoutDeadline();
    const one = session.one.bind(session);
    vi.spyOn(session, 'one').mockImplementation(async (statement, input) => {
      const row = await one(statement, input);
      await acme.vendor.create({ name: 'Newer' });
      return row;
    });
    expect(await sealWaiting(session, 500)).toBe(true);
    expect((await acme.vendor.list()).length).toBeGreaterThan(0);
  });

  test('seals a long backlog in several batches', async () => {
    const acme = await createCompany();
    await tamper(`insert into audit_event select company_id, nextval('audit_event_id_seq'), uuid_v7(), occurred_at, user_id,
      api_key_id, action, resource_type, resource_id, framework_id, changes, request_id
      from audit_event, generate_series(1, 5000) where company_id = ${acme.id} and action = 'company.create'`);
    expect(await sealCompany(acme.id)).toBe(SEAL_BATCH_SIZE);
    expect(await sealCompany(acme.id)).toBe(SEAL_BATCH_SIZE);
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 5005, unsealed: 0 });
  });

  test.runIf(databaseUrl !== undefined)(
    'includes an event whose transaction commits after later events were sealed',
    async () => {
      const acme = await createCompany();
      // The test uses its own connection. PostgreSQL terminates service connections that are idle in a transaction.
      const settings = { company: acme.id, user: operatorPrincipal(acme.id).user.uniqueId, request: 'audit-log-test' };
      await asOwner(async (run) => {
        await run(`update framework set name = 'Late' where company_id = ${acme.id}`);
        for (const name of ['a', 'b', 'c']) {
          await acme.vendor.create({ name });
          for (let round = 0; round < 3; round++) await sealCompany(acme.id);
        }
        expect(await listSeals(acme)).toHaveLength(8);
      }, settings);
      expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 9, unsealed: 0 });
      const last = (await listSeals(acme)).at(-1);
      const [event] = await sql<{ request_id: string }>(
        'select request_id from audit_event where id = $1',
        last?.event_id,
      );
      expect(event).toEqual({ request_id: 'audit-log-test' });
      expect((await listSeals(acme))[5]?.event_id).toBeGreaterThan(last?.event_id ?? 0);
    },
  );

  test('continues after a restore to a server with lower transaction ids', async () => {
    const { acme } = await createSealedCompany();
    await tamper(`update audit_watermark set candidate_xid = '9000000000' where company_id = ${acme.id}`);
    await acme.vendor.create({ name: 'f' });
    await acme.manage.audit.verify({});
    await acme.manage.audit.verify({});
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 11 });
    await waitUntilSettled(acme);
  });
});

describe('the sealing job', () => {
  const countSeals = async (acme: TestCompany) => (await listSeals(acme)).length;

  test('seals new events, and continues after a restart', async () => {
    const acme = await createCompany();
    expect(await countSeals(acme)).toBe(0);
    const stopFirst = startJob(sealing, { database, log: { warn: () => {} } });
    await expect.poll(() => countSeals(acme), POLL_OPTIONS).toBe(5);
    await stopFirst();
    await acme.vendor.create({ name: 'a' });
    const stopSecond = startJob(sealing, { database, log: { warn: () => {} } });
    await expect.poll(() => countSeals(acme), POLL_OPTIONS).toBe(6);
    await stopSecond();
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: 6 });
  });

  test('seals the other companies if sealing fails for one', async () => {
    const [broken, acme] = [await createSealedCompany(), await createCompany()];
    await tamper(`insert into audit_seal values (${broken.acme.id}, 9223372036854775807, 0, sha256('x'))`);
    await broken.acme.vendor.create({ name: 'f' });
    const warnings: unknown[] = [];
    const stop = startJob(sealing, { database, log: { warn: (...args: unknown[]) => warnings.push(args) } });
    await expect.poll(() => countSeals(acme), POLL_OPTIONS).toBe(5);
    // The job seals companies in no particular order, so the broken company may be last.
    const warning = [{ err: expect.any(Error), company: broken.acme.id }, 'audit log: sealing failed'];
    await expect.poll(() => warnings, POLL_OPTIONS).toContainEqual(warning);
    await stop();
    await tamper(`delete from audit_seal where company_id = ${broken.acme.id} and event_id = 0`);
  });

  test.runIf(databaseUrl !== undefined)(
    'leaves events unsealed while another process holds the lock, and verification counts them',
    async () => {
      const acme = await createCompany();
      await sealCompany(acme.id);
      await acme.vendor.create({ name: 'a' });
      await asOwner(async (run) => {
        await run('select from audit_watermark where company_id = $1 for update', acme.id);
        const verified = await acme.manage.audit.verify({});
        expect(verified).toMatchObject({ intact: true, sealed: 5, unsealed: 1 });
        expect(verified.unsealedSince).toMatch(/^20.*Z$/);
      });
    },
  );

  test('stops without delay if no statement is running', async () => {
    const driver = stubDriver({ [findUnsealedCompanies.name]: () => [] });
    const stop = startJob(sealing, { database: new Database(driver), log: { warn: () => {} } });
    await expect.poll(() => driver.calls.length, POLL_OPTIONS).toBe(1);
    await nextImmediate(); // the job now waits for its next run
    const stopped = stop().then(() => 'stopped');
    // Immediates run before timers, so `stop` wins the race only if it waits for no timer.
    expect(await Promise.race([stopped, nextImmediate('waiting')])).toBe('stopped');
    expect(driver.calls).toHaveLength(1);
  });

  test('logs an error and retries if sealing fails', async () => {
    const unreachable = await openPostgreSql('postgresql://nobody@127.0.0.1:1/nowhere');
    const warnings: unknown[] = [];
    const stop = startJob(sealing, {
      database: unreachable,
      log: { warn: (...args: unknown[]) => warnings.push(args) },
    });
    await expect.poll(() => warnings.length, POLL_OPTIONS).toBeGreaterThan(1);
    await stop();
    await unreachable.close();
    expect(warnings[0]).toEqual([{ err: expect.any(Error) }, 'audit log: sealing failed']);
  });

  test('finds unsealed companies through an index, without scanning the audit log', async () => {
    const plan = JSON.stringify(await explain(findUnsealedCompanies, {}, {}));
    expect(plan).toContain('audit_event_pkey');
    expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^}]*"Relation Name":"audit_event"/);
    const { id } = await operator.company.create({ name: 'Quiet' });
    const isUnsealed = async () => (await database.run(findUnsealedCompanies, {}, {})).some((row) => row.id === id);
    expect(await isUnsealed()).toBe(true);
    await expect.poll(() => sealCompany(id).then(isUnsealed), POLL_OPTIONS).toBe(false);
  });
});

describe('the service role', () => {
  /** Runs a statement as the service role for the company, then rolls it back. */
  async function runAsService(statement: string, acme: TestCompany): Promise<unknown> {
    const rollback = new Error('rollback');
    let result: unknown;
    const em = await new Session(
      database,
      { ...operatorPrincipal(acme.id), user: acme.apiKey.user },
      'role',
    ).unitOfWork();
    await em
      .transactional(async (inner) => {
        result = await inner.execute(statement);
        throw rollback;
      })
      .catch((error: unknown) => {
        if (error !== rollback) throw error;
      });
    return result;
  }

  test('writes data and audit events through the triggers, and seals the events', async () => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey.user;
    const vendor = `insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
      values (${acme.id}, uuid_v7(), 'Cloud Ltd', '${uniqueId}', '${uniqueId}')`;
    await runAsService(vendor, acme);
    expect(
      await runAsService(`with v as (${vendor} returning 1) select seal_current_company(100) as sealed from v`, acme),
    ).toEqual([{ sealed: 5 }]);
    expect(
      await runAsService(`select count(*)::int as n from audit_event where company_id = ${acme.id}`, acme),
    ).toEqual([{ n: 5 }]);
    await expect(runAsService(`delete from framework`, acme)).rejects.toThrow('permission denied');
  });
});
