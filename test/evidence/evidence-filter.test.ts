import { beforeAll, describe, expect, vi } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { addEvidence, dateIn } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

const FILTERS = ['none', 'some', 'expiring'] as const;

/** The evidence of each object, by its title: days until each piece ends, null for one without an end. */
const OBJECTS: Readonly<Record<string, readonly (number | null)[]>> = {
  Nothing: [],
  Ever: [null],
  Long: [30],
  Short: [29],
  Expired: [-400],
  Renewed: [5, 60],
  'Renewed without end': [5, null],
  'Renewed briefly': [-3, 20],
};
const NONE = ['Nothing'];
const EXPIRING = ['Expired', 'Renewed briefly', 'Short'];
const SOME = Object.keys(OBJECTS)
  .filter((title) => title !== 'Nothing')
  .toSorted();
const EXPECTED = { none: NONE, some: SOME, expiring: EXPIRING };

let acme: TestCompany;
let caller: Awaited<ReturnType<typeof callerForKey>>;
beforeAll(async () => {
  acme = await createCompany();
  caller = await callerForKey(acme.key);
  for (const [title, ends] of Object.entries(OBJECTS)) {
    const { uniqueId: taskUniqueId } = await acme.newTask({ title });
    const { uniqueId: vendor } = await acme.vendor.create({ name: title });
    for (const days of ends) {
      const validity = { date: '2020-01-01', validUntil: days === null ? null : dateIn(days) };
      await addEvidence(acme, { taskUniqueId }, validity);
      await addEvidence(acme, { vendor }, validity);
    }
  }
});

const titles = (items: readonly { title: string }[] = []) => items.map(({ title }) => title).toSorted();
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();

describe('the filter evidence', () => {
  test.for(FILTERS)('%s counts, lists and exports the tasks that match', async (evidence) => {
    const { framework } = acme;
    const expected = EXPECTED[evidence];
    for (const sort of ['-createdAt', 'dueDate', 'priority'] as const) {
      const query = { evidence, limit: 20, sort };
      const ofFramework = await caller.task.list({ framework, ...query });
      expect([ofFramework.total, titles(ofFramework.items)]).toEqual([expected.length, expected]);
      expect(titles((await caller.task.listAll(query)).items)).toEqual(expected);
    }
    expect(await caller.task.listAll({ evidence })).toEqual({ total: expected.length });
    expect(titles((await caller.task.export({ framework, evidence })).items)).toEqual(expected);
    expect(titles((await caller.task.exportAll({ evidence })).items)).toEqual(expected);
    const { content } = await caller.task.exportAllCsv({ evidence });
    for (const title of Object.keys(OBJECTS)) expect(content.includes(`,${title},`)).toBe(expected.includes(title));
    const rest = await http('GET', `/external/task/list?evidence=${evidence}`, { key: acme.key });
    expect(rest).toMatchObject({ status: 200, body: { total: expected.length } });
  });

  test.for(FILTERS)('%s lists and exports the vendors that match', async (evidence) => {
    const expected = EXPECTED[evidence];
    expect(names(await caller.vendor.list({ evidence }))).toEqual(expected);
    expect(names(await caller.vendor.list({ evidence, view: 'full', limit: 20 }))).toEqual(expected);
    expect(await caller.vendor.page({ evidence, limit: 1 })).toMatchObject({ total: expected.length });
    expect(names((await caller.vendor.export({ evidence })).items)).toEqual(expected);
    const rest = await http('GET', `/external/smart-inventory/vendor/list?evidence=${evidence}`, { key: acme.key });
    expect(rest.body).toHaveLength(expected.length);
  });

  test('stands beside other filters', async () => {
    const ann = await createMember(acme, { name: 'Ann' });
    const { items = [] } = await caller.task.listAll({ limit: 20 });
    const give = async (title: string, fields: object) => {
      const taskUniqueId = items.find((task) => task.title === title)?.uniqueId ?? '';
      await caller.task.update({ taskUniqueId, ...fields });
    };
    await give('Short', { assigneeId: ann.uniqueId, dueDate: dateIn(1) });
    await give('Expired', { priority: 1, labels: ['access'] });
    await give('Nothing', { assigneeId: ann.uniqueId });
    const listed = async (query: Partial<Parameters<typeof caller.task.listAll>[0]>) => {
      const { total, items: found } = await caller.task.listAll({ ...query, limit: 20 });
      expect(total).toBe(found?.length);
      return titles(found);
    };
    expect(await listed({ evidence: 'expiring', assignee: ann.uniqueId })).toEqual(['Short']);
    expect(await listed({ evidence: 'expiring', assignee: 'none' })).toEqual(['Expired', 'Renewed briefly']);
    expect(await listed({ evidence: 'expiring', assignee: `${ann.uniqueId},none` })).toEqual(EXPIRING);
    expect(await listed({ evidence: 'none', assignee: ann.uniqueId })).toEqual(NONE);
    expect(await listed({ evidence: 'none', assignee: 'none' })).toEqual([]);
    expect(await listed({ evidence: 'expiring', due: 'week' })).toEqual(['Short']);
    expect(await listed({ evidence: 'expiring', priority: '1', label: 'ACCESS' })).toEqual(['Expired']);
    expect(await listed({ evidence: 'some', q: 'renew' })).toEqual(SOME.filter((title) => title.startsWith('Renew')));
    expect(await listed({ evidence: 'some', updatedSince: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await listed({ evidence: 'none', updatedSince: '2020-01-01T00:00:00Z' })).toEqual(NONE);
    expect(names(await caller.vendor.list({ evidence: 'some', q: 'long', status: 'active' }))).toEqual(['Long']);
    expect(await caller.vendor.list({ evidence: 'none', updatedSince: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  test('pages with cursors, which hold for this filter alone', async () => {
    for (const evidence of ['some', 'expiring'] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await caller.task.listAll({ evidence, limit: 1, sort: 'dueDate', cursor });
        seen.push(...titles(page.items));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen.toSorted()).toEqual(EXPECTED[evidence]);
    }
    const { nextCursor } = await caller.task.listAll({ evidence: 'some', limit: 1 });
    const other = caller.task.listAll({ evidence: 'expiring', limit: 1, cursor: nextCursor ?? '' });
    await expect(other).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const ofVendors = await caller.vendor.page({ evidence: 'some', limit: 1 });
    const withoutFilter = caller.vendor.page({ limit: 1, cursor: ofVendors.nextCursor ?? '' });
    await expect(withoutFilter).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('has one known value', async () => {
    for (const path of [
      '/external/task/list',
      `/external/task/framework/${acme.framework}/list`,
      '/external/smart-inventory/vendor/list',
    ])
      for (const value of ['all', '', 'none,some', 'NONE'])
        expect(await http('GET', `${path}?evidence=${value}`, { key: acme.key })).toMatchObject({
          status: 400,
          body: { error: 'evidence: expected one of none, some, expiring' },
        });
  });

  test('goes by the day in the time zone of the company', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T23:00:00Z'), toFake: ['Date'] });
    try {
      const east = await createCompany();
      const { caller: admin } = await createMember(east);
      const { uniqueId: taskUniqueId } = await east.newTask();
      await addEvidence(east, { taskUniqueId }, { validUntil: '2026-12-21' });
      expect(await east.task.listAll({ evidence: 'expiring' })).toEqual({ total: 0 });
      await admin.management.settings.update({ timeZone: 'Asia/Tokyo' });
      expect(await east.task.listAll({ evidence: 'expiring' })).toEqual({ total: 1 });
    } finally {
      vi.useRealTimers();
    }
  });

  test('is that of the same company alone, in frameworks that the caller may access', async ({ rival }) => {
    const { uniqueId: taskUniqueId } = await rival.newTask();
    await addEvidence(rival, { taskUniqueId });
    const { id } = await rival.manage.framework.create({ name: 'SOC 2' });
    const { key } = await rival.manage.apiKey.create({ name: 'Limited', frameworks: [id] });
    const limited = await callerForKey(key);
    expect(await rival.task.listAll({ evidence: 'some' })).toEqual({ total: 1 });
    for (const evidence of FILTERS) expect(await limited.task.listAll({ evidence })).toEqual({ total: 0 });
  });
});
