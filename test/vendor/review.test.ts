import { beforeAll, expect, test } from 'vitest';
import { sql, tamper } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

const newVendor = async (fields: Partial<Parameters<TestCompany['vendor']['create']>[0]> = {}) => {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd', ...fields });
  return uniqueId;
};
const today = () => new Date().toISOString().slice(0, 10);

test('a review is recorded with its time, its user and its note, in one event', async () => {
  const vendor = await newVendor();
  const ann = await createMember(acme, { name: 'Ann', role: 'editor' });
  const reviewed = await ann.caller.vendor.review({ vendor, note: 'Report is current.', nextReview: '2030-01-31' });
  const by = { uniqueId: ann.uniqueId, name: 'Ann', kind: 'human' };
  const lastReview = { at: reviewed.updatedAt, by, note: 'Report is current.', outcome: null, risk: null };
  expect(reviewed).toMatchObject({ lastReview, nextReview: '2030-01-31', version: 2, updatedBy: by });
  expect(await acme.vendor.get({ vendor })).toEqual(reviewed);
  const { items } = await acme.vendor.history({ vendor });
  expect(items.map(({ action }) => action)).toEqual(['vendor.review', 'vendor.create']);
  expect(items[0]?.changes).toEqual({
    lastReview: { from: null, to: lastReview },
    nextReview: { from: null, to: '2030-01-31' },
  });
});

test.each([
  ['2026-01-31', 1, '2026-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2026-08-31', 6, '2027-02-28'],
  ['2026-11-27', 12, '2027-11-27'],
  ['2026-12-31', 60, '2031-12-31'],
])('on %s every %i months the next one is on %s', async (day, reviewEveryMonths, expected) => {
  const [row] = await sql(`select ($1::date + make_interval(months => $2))::date::text as day`, day, reviewEveryMonths);
  expect(row).toEqual({ day: expected });
});

test('the next review is as sent, or follows from the months, or is none', async () => {
  const vendor = await newVendor({ reviewEveryMonths: 1, nextReview: '2026-01-01' });
  const [later] = await sql(`select ($1::date + make_interval(months => 1))::date::text as day`, today());
  expect(await acme.vendor.review({ vendor })).toMatchObject({ nextReview: later?.['day'], lastReview: { note: '' } });
  expect(await acme.vendor.review({ vendor, nextReview: null })).toMatchObject({ nextReview: null });
  const other = await newVendor({ nextReview: '2026-01-01' });
  expect(await acme.vendor.review({ vendor: other })).toMatchObject({ nextReview: null });
});

test('an archived vendor is 409', async () => {
  const vendor = await newVendor();
  await acme.vendor.update({ vendor, status: 'archived' });
  await expect(acme.vendor.review({ vendor })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await acme.vendor.get({ vendor })).toMatchObject({ lastReview: null, version: 2 });
});

test('a note is limited to 2,000 characters', async () => {
  const vendor = await newVendor();
  const tooLong = acme.vendor.review({ vendor, note: 'x'.repeat(2001) });
  await expect(tooLong).rejects.toThrow('note: expected text of at most 2000 characters');
});

test('over REST no body is a review, with ETag, and If-Match is honored', async () => {
  const vendor = await newVendor();
  const path = `/external/smart-inventory/vendor/${vendor}/review`;
  const { key } = acme;
  const response = await http('POST', path, { key });
  expect(response).toMatchObject({ status: 200, body: { uniqueId: vendor, version: 2, lastReview: { note: '' } } });
  const headers = { 'if-match': String(response.headers['etag']) };
  expect(await http('POST', path, { key, headers, body: { note: 'again' } })).toMatchObject({ status: 200 });
  expect(await http('POST', path, { key, headers, body: { note: 'again' } })).toMatchObject({ status: 412 });
  const { etag } = await acme.vendor.get({ vendor });
  await acme.vendor.review({ vendor, ifMatch: etag });
  await expect(acme.vendor.review({ vendor, ifMatch: etag })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});

test('asOf shows the review of that time', async () => {
  const vendor = await newVendor();
  const first = await acme.vendor.review({ vendor, note: 'first' });
  await acme.vendor.review({ vendor, note: 'second' });
  const { etag: _etag, evidenceCount: _count, ...expected } = first;
  expect(await acme.vendor.get({ vendor, asOf: first.updatedAt })).toMatchObject(expected);
});

test('a review has an outcome and a risk, which its event and later states show', async () => {
  const vendor = await newVendor();
  const first = await acme.vendor.review({ vendor, outcome: 'conditional', risk: 2 });
  expect(first.lastReview).toMatchObject({ note: '', outcome: 'conditional', risk: 2 });
  expect(await acme.vendor.review({ vendor, outcome: null })).toMatchObject({
    lastReview: { outcome: null, risk: null },
  });
  expect(await acme.vendor.get({ vendor, asOf: first.updatedAt })).toMatchObject({ lastReview: first.lastReview });
  const { items } = await acme.vendor.history({ vendor });
  expect(items[1]?.changes).toMatchObject({ lastReview: { from: null, to: first.lastReview } });
  const path = `/external/smart-inventory/vendor/${vendor}/review`;
  const { key } = acme;
  expect(await http('POST', path, { key, body: { outcome: 'rejected', risk: 1 } })).toMatchObject({
    body: { lastReview: { outcome: 'rejected', risk: 1 } },
  });
  for (const [body, error] of [
    [{ outcome: 'perfect' }, 'outcome: expected one of approved, conditional, rejected'],
    [{ risk: 5 }, 'risk: expected an integer from 1 to 4'],
  ] as const)
    expect(await http('POST', path, { key, body })).toMatchObject({ status: 400, body: { error } });
  expect(await acme.vendor.get({ vendor })).toMatchObject({ version: 4 });
});

test('a review of an earlier version shows null for both, and its event and that time what was recorded', async () => {
  const vendor = await newVendor();
  const { lastReview, ...reviewed } = await acme.vendor.review({ vendor, note: 'Old' });
  const earlier = `'{at,by,note}'::text[]`;
  const without = (json: string) =>
    `(select jsonb_object_agg(key, value) from jsonb_each(${json}) where key = any(${earlier}))`;
  await tamper(
    `update vendor set last_review = ${without('last_review')} where company_id = ${acme.id} and unique_id = '${vendor}'`,
    `update audit_event set changes = jsonb_set(changes, '{last_review,to}', ${without(`changes->'last_review'->'to'`)})
     where company_id = ${acme.id} and resource_id = '${vendor}' and action = 'vendor.review'`,
  );
  const recorded = { at: lastReview?.at, by: lastReview?.by, note: 'Old' };
  expect(await acme.vendor.get({ vendor })).toEqual({
    ...reviewed,
    lastReview: { ...recorded, outcome: null, risk: null },
  });
  expect((await acme.vendor.get({ vendor, asOf: reviewed.updatedAt })).lastReview).toEqual(recorded);
  const { items } = await acme.vendor.history({ vendor });
  expect(items[0]?.changes).toMatchObject({ lastReview: { from: null, to: recorded } });
  expect(JSON.stringify(items[0]?.changes)).not.toMatch(/outcome|risk/);
  expect(
    (await acme.vendor.page({ outcome: 'approved,conditional,rejected', limit: 100, view: 'full' })).items,
  ).not.toContainEqual(expect.objectContaining({ uniqueId: vendor }));
  const headers = { accept: 'text/csv' };
  const csv = await http('GET', '/external/smart-inventory/vendor/list', { key: acme.key, headers });
  expect(csv.text).toContain(`""note"":""Old"",""outcome"":null,""risk"":null}`);
});

test('an export for people has the outcome and the risk in words', async () => {
  const globex = await createCompany('Globex');
  const { uniqueId: vendor } = await globex.vendor.create({ name: 'Cloud Ltd' });
  await globex.vendor.review({ vendor, note: 'Ask again', outcome: 'conditional', risk: 4 });
  const path = '/external/smart-inventory/vendor/list?format=people';
  const { text } = await http('GET', path, { key: globex.key, headers: { accept: 'text/csv' } });
  expect(text).toContain(`"${today()}, Integration of Globex, Conditional, risk Low: Ask again"`);
});
