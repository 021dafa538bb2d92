import { describe, expect, onTestFinished, test } from 'vitest';
import { Session } from '../../../database/session.ts';
import { releaseProofs } from '../../../entities/proof/making.ts';
import { findCheckpointCompanies } from '../../../entities/webhook/endpoint.ts';
import { FrozenError } from '../../../entities/company/freezing.ts';
import { ImportRunner } from '../../../procedures/import/job.ts';
import { JOBS } from '../../../procedures/jobs/registry.ts';
import { startJob } from '../../../server/jobs/runner.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { setCompanyFrozen } from '../../support/cells/frozen.ts';
import { WORK, createCompanyWithWork } from '../../support/cells/work.ts';
import { VENDORS, upload } from '../../support/tenants/imports.ts';
import { openMaker } from '../../support/proof/make.ts';
import { createSender, createWebhookKey, deliver, sealAll, startReceiver } from '../../support/tenants/webhooks.ts';
import { http } from '../../support/http/server.ts';
import { database, sql } from '../../support/database/database.ts';

const session = new Session(database, null, 'freeze');

/** Jobs that leave a frozen company as it is. */
const WAITING = [
  'run-imports',
  'make-proofs',
  'remove-files',
  'record-file-places',
  'send-webhooks',
  'disable-webhooks',
  'send-checkpoints',
  'fill-inboxes',
  'add-reminders',
  'index-search',
  'send-mails',
  'send-queued-mails',
  'record-identities',
  'end-memberships',
  'fill-task-closings',
  'record-task-history',
];
/** Jobs that continue: sealing, the signing key of the process, and the report of companies that were moved away. */
const CONTINUING = ['seal-audit-log', 'seal-changes', 'record-signing-key', 'report-moved-companies'];

describe('while a company is frozen', () => {
  test('each job waits or continues', () => {
    const retention = JOBS.filter(({ kind }) => kind === 'retention').map(({ name }) => name);
    expect(JOBS.map(({ name }) => name).toSorted()).toEqual([...WAITING, ...CONTINUING, ...retention].toSorted());
    for (const job of JOBS) if (job.kind === 'retention') expect(job.statement.text).toContain('frozen_at is null');
  });

  test('nothing of it is sent or run, and all of it continues after the freeze', async () => {
    const { acme, apiKey, receiver, sent, mailing, queuedTo, found, hasEndedWebhook, recordDays } =
      await createCompanyWithWork();
    expect(await found()).toEqual(WORK);
    await setCompanyFrozen(acme, true);
    await sealAll(acme);
    expect(await found()).toEqual([]);
    const checkpoints = await session.run(findCheckpointCompanies, { now: mailing.now().toISOString() });
    expect(checkpoints.map(({ id }) => id)).not.toContain(acme.id);
    await deliver(acme);
    await mailing.run();
    await mailing.runQueued();
    expect([receiver.requests.length, mailing.take(), await recordDays()]).toEqual([sent, [], []]);

    await setCompanyFrozen(acme, false);
    await sealAll(acme);
    expect(await found()).toEqual(WORK);
    await mailing.run();
    await mailing.runQueued();
    const recipients = mailing.take().map(({ to }) => to);
    expect(recipients).toContain(queuedTo);
    expect(recipients.length).toBeGreaterThan(1);
    expect(await recordDays()).toHaveLength(1);
    await acme.manage.apiKey.revoke({ uniqueId: apiKey.uniqueId });
    expect(await hasEndedWebhook()).toBe(true);
    await setCompanyFrozen(acme, true);
    expect(await hasEndedWebhook()).toBe(false);
  });

  test('retention leaves its rows, and deletes those of others, also of closed companies', async () => {
    const [acme, closed] = [await createCompany(), await createCompany('Closed')];
    for (const { id } of [acme, closed]) {
      await sql(
        `insert into idempotency_record (company_id, api_key_id, key_hash, fingerprint, status, headers, created_at)
        select company_id, unique_id, sha256('x'), sha256('x'), 204, '{}', now() - interval '2 days' from api_key where company_id = $1`,
        id,
      );
      await sql(
        `insert into task_status_day (company_id, framework_id, day) select $1, id, d.day from framework,
        (values (date '2001-01-01'), (date '2001-01-02')) d(day) where company_id = $1`,
        id,
      );
      await sql(
        `insert into api_key_usage (company_id, api_key_id, day, requests, errors, rate_limited)
        select company_id, unique_id, date '2001-01-01', 1, 0, 0 from api_key where company_id = $1`,
        id,
      );
    }
    await closed.manage.company.close({ name: 'Closed' });
    await setCompanyFrozen(acme, true);
    const runRetention = async () => {
      for (const job of JOBS)
        if (job.kind === 'retention') await session.one(job.statement, { now: new Date().toISOString() });
    };
    const rows = async ({ id }: { id: number }) => {
      const [row] = await sql<{ old: number }>(
        `select (select count(*) from idempotency_record where company_id = $1)::int + (select count(*) from api_key_usage
          where company_id = $1 and day = '2001-01-01')::int + (select count(*) from task_status_day
          where company_id = $1 and day = '2001-01-01')::int as old`,
        id,
      );
      return row?.old;
    };
    await runRetention();
    expect([await rows(acme), await rows(closed)]).toEqual([3, 0]);
    await setCompanyFrozen(acme, false);
    await runRetention();
    expect(await rows(acme)).toBe(0);
  });

  test('an import stops in the middle without an error, and continues from there', async () => {
    const acme = await createCompany();
    const rows = Array.from({ length: 600 }, (_, index) => ({ name: `Vendor ${index}` }));
    const accepted = await upload(acme.key, `${VENDORS}/import`, rows);
    expect(accepted.status).toBe(202);
    const runner = new ImportRunner(database);
    const read = async () =>
      (await http('GET', String(accepted.headers.location), { key: acme.key })).body as Record<string, unknown>;
    while (Number((await read())['created']) === 0) await runner.runSlice(acme.id);
    await setCompanyFrozen(acme, true);
    const stopped = await read();
    expect(stopped['state']).toBe('running');
    for (let attempt = 0; attempt < 10; attempt += 1)
      await expect(runner.runSlice(acme.id)).rejects.toBeInstanceOf(FrozenError);
    expect(await runner.companies()).not.toContain(acme.id);
    expect(await read()).toEqual(stopped);
    await setCompanyFrozen(acme, false);
    while (await runner.runSlice(acme.id));
    expect(await read()).toMatchObject({ state: 'done', rows: 600, created: 600, failed: 0 });
  });

  test('a proof that is being made returns to the queue, and its attempt does not count', async () => {
    const acme = await createCompany();
    const { caller } = await createWebhookKey(acme);
    const { uniqueId } = await caller.proof.create({});
    const state = async () => {
      const [row] = await sql('select state, attempts, lease_until from proof where unique_id = $1', uniqueId);
      return row;
    };
    const maker = openMaker();
    await maker.runSlice(acme.id);
    expect(await state()).toMatchObject({ state: 'running', attempts: 1 });
    await session.asOperator(acme.id).run(releaseProofs, {});
    await setCompanyFrozen(acme, true);
    await maker.next?.();
    expect(await state()).toEqual({ state: 'queued', attempts: 0, lease_until: null });
    expect(await maker.companies()).not.toContain(acme.id);
    await setCompanyFrozen(acme, false);
    await sealAll(acme);
    await maker.runSlice(acme.id);
    await maker.next?.();
    expect(await state()).toMatchObject({ state: 'done', attempts: 1 });
  });

  test('a delivery under way ends and records its outcome, and no other one begins', async () => {
    const acme = await createCompany();
    const { caller } = await createWebhookKey(acme);
    const arrived = Promise.withResolvers<() => void>();
    const receiver = await startReceiver((response) => arrived.resolve(() => response.writeHead(410).end()));
    await caller.webhook.create({ url: receiver.url });
    const sender = createSender();
    await sealAll(acme);
    await sender.runSlice(acme.id);
    const respond = await arrived.promise;
    await setCompanyFrozen(acme, true);
    respond();
    await sender.idle();
    const deliveries = () =>
      sql(
        'select last_status, attempts from webhook_delivery where company_id = $1 and last_status is not null',
        acme.id,
      );
    expect(await deliveries()).toEqual([{ last_status: 410, attempts: 1 }]);
    await deliver(acme, sender);
    expect(receiver.requests).toHaveLength(1);
    const enabled = () => sql('select enabled from webhook where company_id = $1', acme.id);
    expect(await enabled()).toEqual([{ enabled: true }]);
    await setCompanyFrozen(acme, false);
    receiver.respondWith((response) => response.writeHead(410).end());
    await deliver(acme, sender);
    expect(await enabled()).toEqual([{ enabled: false }]);
  });

  test('a company that is frozen during a run fails neither the run nor other companies', async () => {
    const lines: unknown[] = [];
    const slices: number[] = [];
    const stop = startJob(
      {
        kind: 'companies',
        name: 'frozen-test',
        failure: 'test: failed',
        companyFailure: 'test: a slice failed',
        intervalMs: 60_000,
        open: () => ({
          companies: async () => [1, 2],
          runSlice: async (company) => {
            slices.push(company);
            if (company === 1) throw new FrozenError();
            return false;
          },
        }),
      },
      { database, log: { warn: (...line: unknown[]) => void lines.push(line) } },
    );
    onTestFinished(stop);
    await expect.poll(() => slices).toEqual([1, 2]);
    expect(lines).toEqual([]);
  });
});
