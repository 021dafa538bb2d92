import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { findFeedHead } from '../../entities/audit/change-feed.ts';
import { SEAL_BATCH_SIZE, sealAuditLog } from '../../entities/audit/seal-statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { sealing, sealingChanges } from '../../procedures/audit/sealing.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database, databaseUrl, sql } from '../support/database/database.ts';
import { stubDriver } from '../support/database/stub-driver.ts';
import { createCompany } from '../support/tenants/company.ts';
import { insertEvents, seal } from '../support/tenants/feed.ts';

/** The timeout only ends polls that hang. A busy machine is many times slower than an idle one. */
const POLL_OPTIONS = { timeout: 110_000 };
const WAIT_END = { timeoutMs: 110_000 };
vi.setConfig({ testTimeout: 120_000 });

/** Runs a job until the end of the test. */
const runJob = (job: Parameters<typeof startJob>[0], over = database) =>
  onTestFinished(startJob(job, { database: over, log: createLog('silent') }));

/** Opens the database of this test as another process does. */
async function openProcess(): Promise<Database> {
  const other = await openPostgreSql(databaseUrl ?? '');
  onTestFinished(() => other.close());
  return other;
}

const sessionOf = ({ id }: { id: number }, over = database) => new Session(over, operatorPrincipal(id), 'test');

/** Waits for seals after the last one. Resolves when the wait has begun. */
async function startWaiting(acme: { id: number }, over = database) {
  const head = (await sessionOf(acme, over).one(findFeedHead, {})).sequence;
  const hasNews = sessionOf(acme, over).waitForSeals(head, WAIT_END);
  return { hasNews };
}

const countUnsealed = async ({ id }: { id: number }) =>
  (
    await sql<{ count: number }>(
      `select count(*)::int as count from audit_event e where e.company_id = $1
       and not exists (select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id)`,
      id,
    )
  )[0]?.count;

/** Creates a company whose events are sealed. No job seals it again before its next change, nor other companies of the worker. */
async function createSealedCompany() {
  const acme = await createCompany();
  await seal(acme);
  expect(await countUnsealed(acme)).toBe(0);
  database.changedCompanies.take();
  return acme;
}

describe('a change', () => {
  test('is sealed without a search for companies', async () => {
    const acme = await createSealedCompany();
    runJob(sealingChanges);
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await expect.poll(() => countUnsealed(acme), POLL_OPTIONS).toBe(0);
    await acme.manage.framework.create({ name: 'SOC 2' });
    await expect.poll(() => countUnsealed(acme), POLL_OPTIONS).toBe(0);
  });

  test('ends the wait of a request in the same process', async () => {
    const acme = await createSealedCompany();
    runJob(sealingChanges);
    const { hasNews } = await startWaiting(acme);
    await acme.vendor.create({ name: 'Cloud Ltd' });
    expect(await hasNews).toBe(true);
  });

  test('whose process is killed before it seals is sealed by another one', async () => {
    const acme = await createSealedCompany();
    await acme.vendor.create({ name: 'Cloud Ltd' });
    database.changedCompanies.take(); // lost with the process
    const { hasNews } = await startWaiting(acme);
    runJob(sealingChanges);
    runJob(sealing);
    expect(await hasNews).toBe(true);
    await expect.poll(() => countUnsealed(acme), POLL_OPTIONS).toBe(0);
  });

  test('of many events is sealed in part, and the search for companies finds the rest', async () => {
    const acme = await createSealedCompany();
    await insertEvents(acme, SEAL_BATCH_SIZE);
    runJob(sealingChanges);
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await expect.poll(() => countUnsealed(acme), POLL_OPTIONS).toBe(1);
    runJob(sealing);
    await expect.poll(() => countUnsealed(acme), POLL_OPTIONS).toBe(0);
  });
});

describe('seals', () => {
  test('notify a process that listens, and empty batches do not', async () => {
    const listener = databaseUrl === undefined ? database : await openProcess();
    await listener.start();
    const announce = vi.spyOn(listener.seals, 'announce');
    const acme = await createCompany();
    announce.mockClear();
    const session = sessionOf(acme);
    const { sealed } = await session.one(sealAuditLog, {});
    expect(sealed).toBeGreaterThan(0);
    await expect.poll(() => announce.mock.calls.length, POLL_OPTIONS).toBe(1);
    await session.one(sealAuditLog, {});
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await session.one(sealAuditLog, {});
    await expect.poll(() => announce.mock.calls.length, POLL_OPTIONS).toBe(2);
  });

  test('start no sealing of their own', async () => {
    const driver = stubDriver({ [sealAuditLog.name]: () => [{ sealed: 1 }] });
    const stub = new Database(driver);
    const stop = startJob(sealingChanges, { database: stub, log: createLog('silent') });
    stub.changedCompanies.add(1);
    await expect.poll(() => driver.calls.length, POLL_OPTIONS).toBe(1);
    await stop();
    expect(stub.changedCompanies.take()).toEqual([]);
  });
});

describe.runIf(databaseUrl !== undefined)('with several processes, a change', () => {
  test('in one of them reaches a request that waits in another', async () => {
    const acme = await createSealedCompany();
    const other = await openProcess();
    await other.start();
    runJob(sealingChanges);
    const { hasNews } = await startWaiting(acme, other);
    await acme.vendor.create({ name: 'Cloud Ltd' });
    expect(await hasNews).toBe(true);
  });

  test('reaches a request in a process without notifications', async () => {
    const acme = await createSealedCompany();
    const other = await openProcess(); // it does not listen, as after a lost connection
    runJob(sealingChanges);
    const { hasNews } = await startWaiting(acme, other);
    await acme.vendor.create({ name: 'Cloud Ltd' });
    expect(await hasNews).toBe(true);
  });
});
