import { beforeAll, expect, test } from 'vitest';
import { findSealHeads, readChanges } from '../../entities/audit/change-feed.ts';
import { explain, planNodes, vacuum } from '../support/database/database.ts';
import type { Plan } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { insertEvents, insertSeals } from '../support/tenants/feed.ts';

const EVENTS = 30_000;
let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
  await insertEvents(acme, EVENTS);
  await insertSeals(acme);
  await vacuum('audit_event', 'audit_seal');
});

/** The maximum number of rows that a scan of a table visits. */
function scannedRows(plan: Plan): number {
  const scans = planNodes(plan).filter(({ 'Relation Name': table }) => table !== undefined);
  expect(scans.map((node) => node['Node Type']).filter((type) => type === 'Seq Scan')).toEqual([]);
  return Math.max(
    ...scans.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']),
  );
}

test.for([
  ['the first page', '0', 102],
  ['a page in the middle', '15000', 102],
  ['the last page', String(EVENTS - 3), 102],
  ['a scan for a limited key', '15000', 2001],
] as const)('%s looks up only the seals and events that it scans', async ([, after, scan]) => {
  const plan = await explain(
    readChanges,
    { after, scan, limit: 102, frameworks: [0] },
    { company: acme.id },
    'analyze, format json',
  );
  expect(scannedRows(plan)).toBeLessThanOrEqual(scan);
});

test('the query for waiting requests reads one seal of each company', async () => {
  const plan = await explain(findSealHeads, { companies: [acme.id, acme.id + 1] }, {}, 'analyze, format json');
  expect(scannedRows(plan)).toBeLessThanOrEqual(2);
});
