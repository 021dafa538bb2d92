import { beforeAll, expect, test } from 'vitest';
import { findSealHeads, readChanges } from '../../entities/audit/change-feed.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import { explain, planNodes, tamper, vacuum } from '../support/database/database.ts';
import type { Plan } from '../support/database/database.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { insertEvents, insertSeals } from '../support/tenants/feed.ts';

const EVENTS = 30_000;
const NO_FILTERS = { types: null, exceptUser: null };
let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
  await insertEvents(acme, EVENTS);
  const { vendor } = await callerForKey(acme.key);
  await vendor.putByExternalId({ source: 'erp', externalId: '1', name: 'Cloud Ltd' });
  await vendor.deleteByExternalId({ source: 'erp', externalId: '1' });
  await insertSeals(acme);
  await tamper(`insert into external_id (company_id, resource_type, framework_id, source, external_id, resource_id)
    select ${acme.id}, 'vendor', 0, 'erp', 'x' || i, uuid_v7() from generate_series(1, 5000) i`);
  await vacuum('audit_event', 'audit_seal', 'external_id');
});

/**
 * The tables of objects have only the few rows of other tests in this worker, so that PostgreSQL may read all of them for each event.
 * That says nothing of seals and events.
 */
const isSmallTable = (node: Plan) =>
  node['Node Type'] === 'Seq Scan' && ['task', 'vendor'].includes(node['Relation Name'] ?? '');

/** The maximum number of rows that a scan of a table visits. */
function scannedRows(plan: Plan): number {
  const scans = planNodes(plan).filter((node) => node['Relation Name'] !== undefined && !isSmallTable(node));
  expect(scans.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  return Math.max(
    ...scans.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']),
  );
}

test.for([
  ['the first page', '0', 102],
  ['a page in the middle', '15000', 102],
  ['the last page', String(EVENTS - 3), 102],
  ['a scan for a limited key', '15000', 2001],
  ['a scan for other types', '15000', 2001, { types: ['vendor'], exceptUser: null }],
  ['a scan for others', '15000', 2001, { types: null, exceptUser: FIRST_ID }],
] as const)('%s looks up only the seals and events that it scans', async ([, after, scan, filters = NO_FILTERS]) => {
  const plan = await explain(
    readChanges,
    { after, scan, limit: 102, frameworks: [0], ...filters },
    { company: acme.id },
    'analyze, format json',
  );
  expect(scannedRows(plan)).toBeLessThanOrEqual(scan);
});

test('the query for waiting requests reads one seal of each company', async () => {
  const plan = await explain(findSealHeads, { companies: [acme.id, acme.id + 1] }, {}, 'analyze, format json');
  expect(scannedRows(plan)).toBeLessThanOrEqual(2);
});
