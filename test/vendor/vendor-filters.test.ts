import { beforeAll, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

let acme: TestCompany;
let ann: string;
beforeAll(async () => {
  acme = await createCompany();
  ({ uniqueId: ann } = await createMember(acme));
  const vendors = [
    { name: 'a', criticality: 2, nextReview: dateIn(-1), contractEnd: dateIn(-1), ownerId: ann },
    { name: 'b', criticality: 1, nextReview: dateIn(0), contractEnd: dateIn(0), labels: ['Hosting'] },
    { name: 'c', criticality: 1, nextReview: dateIn(30), contractEnd: dateIn(30) },
    { name: 'd', nextReview: dateIn(31), contractEnd: dateIn(31), labels: ['hosting', 'x'] },
    { name: 'e', criticality: 4, ownerId: ann },
  ];
  for (const vendor of vendors) await acme.vendor.create(vendor);
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'z', nextReview: dateIn(-5), contractEnd: dateIn(-5) });
  const reviews = { a: ['approved', 1], b: ['conditional', 2], c: ['rejected', null], d: [null, 4] } as const;
  for (const [name, [outcome, risk]] of Object.entries(reviews)) {
    const { items } = await acme.vendor.page({ q: name, limit: 1, view: 'full' });
    const [found] = items as { uniqueId: string; nextReview: string }[];
    await acme.vendor.review({ vendor: found?.uniqueId ?? '', outcome, risk, nextReview: found?.nextReview ?? null });
  }
  await acme.vendor.update({ vendor, status: 'archived' });
});

type Query = NonNullable<Parameters<TestCompany['vendor']['page']>[0]>;
const names = async (query: Query) => {
  const { items, total } = await acme.vendor.page(query);
  expect(total).toBe(items.length);
  return items.map(({ name }) => name).join('');
};

test.each<[Query, string]>([
  [{ criticality: '1' }, 'bc'],
  [{ criticality: '1,2' }, 'abc'],
  [{ owner: 'none' }, 'bcdz'],
  [{ label: 'hosting' }, 'bd'],
  [{ review: 'overdue' }, 'a'],
  [{ review: 'month' }, 'bc'],
  [{ review: 'none' }, 'e'],
  [{ contract: 'ended' }, 'a'],
  [{ contract: 'month' }, 'bc'],
  [{ review: 'month', contract: 'month', criticality: '1', label: 'hosting' }, 'b'],
  [{ review: 'overdue', contract: 'month' }, ''],
  [{ outcome: 'approved' }, 'a'],
  [{ outcome: 'rejected,conditional' }, 'bc'],
  [{ risk: '1,4' }, 'ad'],
  [{ risk: 2, outcome: 'conditional', contract: 'month' }, 'b'],
  [{ nextReviewAfter: dateIn(0) }, 'bcd'],
  [{ nextReviewBefore: dateIn(0) }, 'abz'],
  [{ nextReviewAfter: dateIn(-1), nextReviewBefore: dateIn(30) }, 'abc'],
  [{ nextReviewAfter: dateIn(1), review: 'month' }, 'c'],
  [{ nextReviewBefore: dateIn(-2), review: 'overdue' }, ''],
  [{ nextReviewBefore: dateIn(-1), contractEndAfter: dateIn(-2) }, 'a'],
  [{ contractEndAfter: dateIn(30) }, 'cd'],
  [{ contractEndBefore: dateIn(-1) }, 'az'],
  [{ contractEndAfter: dateIn(30), contract: 'month' }, 'c'],
  [{ contractEndAfter: dateIn(31), contractEndBefore: dateIn(30) }, ''],
  [{ sort: 'contractEnd' }, 'zabcde'],
  [{ sort: 'contractEnd', contractEndAfter: dateIn(0) }, 'bcd'],
  [{ sort: 'criticality' }, 'bcaedz'],
  [{ sort: 'nextReview' }, 'zabcde'],
  [{ sort: '-createdAt' }, 'zedcba'],
  [{ sort: '-createdAt', label: 'hosting' }, 'db'],
  [{ sort: '-updatedAt', q: 'z' }, 'z'],
  [{ sort: 'nextReview', review: 'month' }, 'bc'],
])('%j finds %s', async (query, expected) => {
  expect(await names(query)).toBe(expected);
  expect(await names({ ...query, limit: 50 })).toBe(expected);
  expect(await names({ ...query, limit: 50, view: 'full' })).toBe(expected);
});

test('vendors are found by their owners, and with those of nobody', async () => {
  expect(await names({ owner: ann })).toBe('ae');
  expect(await names({ owner: `none,${ann}` })).toBe('abcdez');
});

test.each(['name', '-createdAt', '-updatedAt', 'criticality', 'nextReview'] as const)(
  'pages by %s have each vendor once',
  async (sort) => {
    const all = (await acme.vendor.list({ sort })).map(({ name }) => name);
    for (const view of [undefined, 'full'] as const) {
      const read: string[] = [];
      for await (const { items } of readPages((from) => acme.vendor.page({ sort, limit: 2, ...from, view })))
        read.push(...items.map(({ name }) => name));
      expect(read).toEqual(all);
    }
  },
);

test('the export has the same order, filters and the fields that an import takes', async () => {
  const { items: newest } = await acme.vendor.export({ sort: '-createdAt', owner: ann });
  expect(newest.map(({ name }) => name)).toEqual(['e', 'a']);
  const { items } = await acme.vendor.export({ sort: 'criticality', owner: ann });
  expect(items.map(({ name, ownerId }) => ({ name, ownerId }))).toEqual([
    { name: 'a', ownerId: ann },
    { name: 'e', ownerId: ann },
  ]);
});

test.each([
  [{ criticality: '0' }, 'criticality: expected one or more of 1, 2, 3, 4, separated by commas'],
  [{ owner: 'Ann' }, 'owner: expected uniqueIds of members, or none, separated by commas'],
  [{ review: 'soon' }, 'review: expected one of overdue, month, none'],
  [{ contract: 'none' }, 'contract: expected one of ended, month'],
  [{ sort: 'owner' }, 'sort: expected one of name, -createdAt, -updatedAt, criticality, nextReview'],
])('%j is invalid', async (query, message) => {
  await expect(acme.vendor.page(Object.assign({}, query as Query))).rejects.toThrow(message);
});

test('a cursor of one order is invalid for another', async () => {
  const { nextCursor } = await acme.vendor.page({ sort: 'criticality', limit: 1 });
  const other = acme.vendor.page({ sort: 'nextReview', limit: 1, cursor: nextCursor ?? '' });
  await expect(other).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
