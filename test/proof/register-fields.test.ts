import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { http } from '../support/http/server.ts';
import { readLines } from '../support/proof/chain.ts';
import type { Row } from '../support/proof/chain.ts';
import { downloadProof, makeProof } from '../support/proof/make.ts';
import { now } from '../support/proof/report.ts';
import { UNRECORDED } from '../../procedures/proof/verify/verify.mjs';
import { RESOURCE_TYPES, resourceOf } from '../../entities/audit/fields.ts';
import { verifyBytes, verifyWithPython } from '../support/proof/run.ts';
import { readZip } from '../support/proof/zip.ts';
import type { ZipEntries } from '../support/proof/zip.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

const CONTACTS = [{ name: 'Ada "Berg"', email: 'ada@payroll.example', role: null }];

let acme: TestCompany;
let ann: TestMember;
let asOf: string;
let zip: Buffer;
let entries: ZipEntries;
let payroll: string;
let cloud: string;
let backups: { first: string; second: string };

beforeAll(async () => {
  acme = await createCompany();
  await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, scopes: [...SCOPES] });
  ann = await createMember(acme, { name: 'Ann' });
  const facts = {
    website: 'https://payroll.example/',
    criticality: 1,
    labels: ['finance'],
    dataCategories: ['=names'],
  };
  const contract = { contractStart: '2026-01-01', contractEnd: '2027-12-31', reviewEveryMonths: 12 };
  ({ uniqueId: payroll } = await acme.vendor.create({ name: 'Payroll', ...facts, ...contract, contacts: CONTACTS }));
  ({ uniqueId: cloud } = await acme.vendor.create({ name: 'Cloud Ltd' }));
  await acme.vendor.update({ vendor: payroll, ownerId: ann.uniqueId });
  await ann.caller.vendor.review({ vendor: payroll, note: 'First, with "quotes"', nextReview: '2027-01-31' });
  const { uniqueId: former } = await acme.vendor.create({ name: 'Former', contacts: CONTACTS });
  const recurring = { dueDate: '2026-01-31', recurrence: 'FREQ=MONTHLY;COUNT=3', vendors: [former, payroll] };
  const { uniqueId: first } = await acme.newTask({ title: 'Check backups', ...recurring });
  await acme.vendor.delete({ vendor: former });
  const { next } = await acme.task.update({ taskUniqueId: first, status: 'done' });
  backups = { first, second: String(next) };
  await ann.caller.account.update({ name: 'Ann Lee' });
  asOf = await now();
  await ann.caller.account.update({ name: 'Ann Ray' });
  await acme.vendor.review({ vendor: payroll, note: 'Second' });
  await acme.vendor.update({ vendor: cloud, ownerId: ann.uniqueId });
  await acme.task.delete({ taskUniqueId: first });
  const { key } = acme;
  const { body } = await http('POST', '/external/proof/new', { key, body: { asOf } });
  await makeProof(acme.id);
  zip = await downloadProof(key, String(Reflect.get(Object(body), 'uniqueId')));
  entries = readZip(zip);
});

const rowOf = (name: string, id: string) => readLines(entries, name).find(({ uniqueId }) => uniqueId === id) ?? {};
/** An object with the name of today in place of the one of then. */
const renamed = (row: Row) => JSON.parse(JSON.stringify(row).replaceAll('"Ann Lee"', '"Ann Ray"')) as Row;

/** Fields of a task that follow from its events. Registers leave them out. */
const DERIVED = { closedAt: null, closedBy: null };

describe('the registers of a proof', () => {
  test('hold for both verifiers', async () => {
    expect(await verifyBytes(zip)).toMatchObject({ isRebuilt: true, counts: { vendors: 2, tasks: 2 } });
    expect(await verifyWithPython([{ zip }])).toEqual([expect.stringMatching(/^0\t/)]);
  });

  test('have vendors and recurring tasks as `asOf` returns them, but for the names of people', async () => {
    const read = async (path: string) => (await http('GET', `${path}/item?asOf=${asOf}`, { key: acme.key })).body;
    for (const id of [payroll, cloud])
      expect(renamed(rowOf('vendors.ndjson', id))).toEqual(await read(`/external/smart-inventory/vendor/${id}`));
    for (const id of [backups.first, backups.second])
      expect({ ...renamed(rowOf('tasks.ndjson', id)), ...DERIVED }).toEqual(await read(`/external/task/${id}`));
  });

  test('have the owner and the person of a review with the name that held then', () => {
    const person = { uniqueId: ann.uniqueId, name: 'Ann Lee', kind: 'human' };
    expect(rowOf('vendors.ndjson', payroll)).toMatchObject({
      owner: person,
      nextReview: '2027-01-31',
      lastReview: { by: person, note: 'First, with "quotes"' },
      contacts: CONTACTS,
    });
    expect(rowOf('vendors.ndjson', cloud)).toMatchObject({ owner: null, lastReview: null, contacts: [], labels: [] });
    const event = readLines<{ event?: Row }>(entries, 'events.ndjson').find(
      (line) => line.event?.['action'] === 'vendor.review',
    );
    expect(event).toMatchObject({ event: { changes: { lastReview: { to: { by: { name: 'Ann' } } } } } });
  });

  test('have the recorded task before a recurring one, no vendor that was deleted, and no next task', () => {
    expect(rowOf('tasks.ndjson', backups.first)).toMatchObject({ previous: null, next: null, vendors: [payroll] });
    expect(rowOf('tasks.ndjson', backups.second)).toMatchObject({
      previous: backups.first,
      next: null,
      vendors: [payroll],
      recurrence: 'FREQ=MONTHLY;COUNT=2',
    });
    const events = readLines(entries, 'events.ndjson').map((line) => JSON.stringify(line));
    expect(events.filter((line) => /next_?id|series_?id|"next"/i.test(line))).toEqual([]);
  });

  test('have no field without a value in the past that verifiers do not know', () => {
    const unknown = RESOURCE_TYPES.flatMap((type) => {
      const resource: { shownColumns: object; lookups?: readonly { field: string }[] } = resourceOf(type);
      return (resource.lookups ?? [])
        .filter(({ field }) => !Object.hasOwn(resource.shownColumns, field) && !UNRECORDED[type]?.includes(field))
        .map(({ field }) => `${type}.${field}`);
    });
    expect(unknown).toEqual(Object.keys(DERIVED).map((field) => `task.${field}`));
  });

  test('have lists and reviews as JSON in CSV', () => {
    const vendors = String(entries.get('vendors.csv'));
    expect(vendors.split('\r\n')[0]).toBe(
      '\u{feff}uniqueId,name,status,description,website,criticality,owner,labels,dataCategories,contractStart,contractEnd,' +
        'reviewEveryMonths,nextReview,contacts,externalIds,lastReview,createdAt,updatedAt,createdBy,updatedBy,version,active,evidenceCount',
    );
    expect(vendors).toContain(
      ',https://payroll.example/,1,Ann Lee,"[""finance""]","[""=names""]",2026-01-01,2027-12-31,12,',
    );
    expect(vendors).toContain(
      String.raw`""by"":{""uniqueId"":""${ann.uniqueId}"",""name"":""Ann Lee"",""kind"":""human""}`,
    );
    expect(vendors).toContain(String.raw`""note"":""First, with \""quotes\"""",""risk"":null,""outcome"":null}"`);
    expect(vendors).toContain('""email"":""ada@payroll.example""');
    const tasks = String(entries.get('tasks.csv'));
    const { seriesDate } = z.object({ seriesDate: z.iso.date() }).parse(rowOf('tasks.ndjson', backups.second));
    expect(tasks).toContain(`,"[""${payroll}""]",FREQ=MONTHLY;COUNT=2,[],,false,${seriesDate},[],${backups.first},`);
  });
});
