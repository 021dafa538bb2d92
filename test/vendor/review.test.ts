import { beforeAll, expect, test } from 'vitest';
import { sql } from '../support/database/database.ts';
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
  const lastReview = { at: reviewed.updatedAt, by, note: 'Report is current.' };
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
