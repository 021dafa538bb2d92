import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { readChanges } from '../../entities/audit/change-feed.ts';
import {
  hasUnsealedEvents,
  sealAuditLog,
  verifyChainBatch,
  verifyEventBatch,
} from '../../entities/audit/seal-statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { findFirstSeal, findLastSeal, pageResourceEvents, pageSealedEvents } from '../../entities/proof/reading.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { withClient } from '../support/database/client.ts';
import { databaseUrl, explain, ownerUrl, planNodes } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';

const EVENTS = 5000;
const FUTURE = '2100-01-01T00:00:00Z';
/** The indexes that find one event or one seal. */
const KEYS = new Set<unknown>(['audit_event_pkey', 'audit_seal_event_unique']);

/** Adds events and their seals to a company. Its watermark stays before them, as if an older transaction were still running. */
const insertEvents = (url: string, company: number, count: number) =>
  withClient(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, framework_id, changes, request_id)
       select $1, uuid_v7(), now(), uuid_v7(), 'task.update', 'task', uuid_v7()::text, 0, '{}', 'test' from generate_series(1, ${count}) i`,
      [company],
    );
    await client.query(
      `insert into audit_seal (company_id, seq, event_id, hash)
       select company_id, 1000 + row_number() over (order by id), id, sha256(id::text::bytea)
       from audit_event where company_id = $1 and request_id = 'test'`,
      [company],
    );
  });

/** Opens a database of its own. Its statistics know a company with some events, but not the new company, which has many. */
async function openWithNewCompany(known: number, added: number) {
  if (ownerUrl === undefined) throw new Error('this test needs PostgreSQL');
  const scratch = await createMigratedDatabase(ownerUrl);
  const home = await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
  onTestFinished(async () => {
    await home.close();
    await scratch.drop();
  });
  await insertEvents(scratch.url, (await createCompanyIn(home, 'Known')).id, known);
  await withClient(scratch.url, (client) => client.query('analyze audit_event, audit_seal'));
  const { id: company } = await createCompanyIn(home, 'New');
  await insertEvents(scratch.url, company, added);
  return { home, company, url: scratch.url };
}

describe.runIf(databaseUrl !== undefined)('a company that the statistics do not know yet (PostgreSQL only)', () => {
  test('has each event and seal of a page looked up by its key', async () => {
    const { home, company } = await openWithNewCompany(EVENTS, EVENTS);
    /** Index of each lookup that ran more than ten times, and the rows that it skipped. */
    const lookups = async <Input extends object>(statement: Statement<Input, unknown>, input: Input) =>
      planNodes(await explain(statement, input, { company }, 'analyze, format json', home))
        .filter((node) => node['Relation Name'] !== undefined && node['Actual Loops'] > 10)
        .map((node) => [node['Index Name'], node['Rows Removed by Filter'] ?? 0]);
    const period = { from: '0001-01-01T00:00:00Z', asOf: FUTURE, limit: 2000 };
    const found = {
      first: await lookups(findFirstSeal, { ...period, position: 0 }),
      last: await lookups(findLastSeal, { ...period, position: Number.MAX_SAFE_INTEGER }),
      sealed: await lookups(pageSealedEvents, { after: 0, until: 100_000, limit: 2000 }),
      resources: await lookups(pageResourceEvents, { type: 'task', afterResource: '', afterId: '0', limit: 500 }),
      changes: await lookups(readChanges, {
        after: '1000',
        scan: 1000,
        limit: 1000,
        frameworks: null,
        types: null,
        exceptUser: null,
      }),
    };
    expect(found.changes).toEqual([
      ['audit_event_pkey', 0],
      // The external ids of an object that does not exist: of its deletion, which is not the event that is found.
      [expect.stringMatching(/^task_/), 0],
      ['audit_event_by_resource', 1],
    ]);
    for (const [statement, nodes] of Object.entries({ ...found, changes: found.changes.slice(0, 1) }))
      expect({ statement, nodes: nodes.map(([index, removed]) => [KEYS.has(index), removed]) }).toEqual({
        statement,
        nodes: [[true, 0]],
      });
  });

  test('is sealed while thousands of its seals are above the watermark', async () => {
    const { home, company, url } = await openWithNewCompany(20, 30_000);
    const session = new Session(home, operatorPrincipal(company), 'statistics-test');
    await withClient(url, async (client) => {
      await client.query('begin');
      await client.query('select pg_current_xact_id()'); // keeps the watermark where it is
      expect((await session.one(sealAuditLog, {})).sealed).toBeGreaterThan(0);
      // PostgreSQL plans the first five calls for their company, and later ones for any.
      for (let call = 0; call < 10; call++) {
        expect(await session.one(sealAuditLog, {})).toMatchObject({ sealed: 0 });
        expect(await session.one(hasUnsealedEvents, { upTo: '100000' })).toEqual({ unsealed: false });
        expect(await session.one(verifyEventBatch, { after: null, limit: 20_000 })).toMatchObject({ unsealed: 0 });
        const chain = { after: '1000', hash: '', expectedHead: '', limit: 5000 };
        expect(await session.one(verifyChainBatch, chain)).toMatchObject({ rowCount: 5000 });
      }
    });
  });
});
