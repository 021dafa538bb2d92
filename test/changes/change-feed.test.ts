import { describe, expect } from 'vitest';
import { MAX_SCANNED_SEALS } from '../../procedures/changes/router.ts';
import { test } from '../support/fixtures/test.ts';
import { callerForKey, callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import { sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { insertEvents, loseEvents, readAll, seal } from '../support/tenants/feed.ts';

const PATH = '/external/changes';
const acme = await createCompany();
const feed = await callerForKey(acme.key);

/** A cursor at the head of the sealed log. */
async function now(company = acme, caller = feed): Promise<string> {
  await seal(company);
  return (await caller.changes.list({ from: 'now' })).cursor;
}

describe('the change feed', () => {
  test('starts at the first event of the company and numbers the events from 1 without holes', async ({ company }) => {
    const caller = await callerForKey(company.key);
    await company.vendor.create({ name: 'Cloud Ltd' });
    await seal(company);
    const { items, more } = await caller.changes.list();
    expect(items[0]).toMatchObject({ sequence: 1, action: 'company.create', deleted: false });
    expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, index) => index + 1));
    expect(items.at(-1)).toMatchObject({ action: 'vendor.create', changes: { name: 'Cloud Ltd' } });
    expect(more).toBe(false);
  });

  test('has the events of the audit list, in the opposite order, with a sequence and a deletion mark', async () => {
    const cursor = await now();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    await acme.vendor.update({ vendor, name: 'Cloud Inc' });
    await acme.vendor.delete({ vendor });
    await seal(acme);
    const { items } = await feed.changes.list({ cursor });
    const audited = (await feed.audit.list({ limit: 3 })).items.toReversed();
    const added = { externalIds: [] };
    expect(items).toEqual(
      items.map(({ sequence, deleted }, index) => ({ ...audited[index], ...added, sequence, deleted })),
    );
    expect(items.map(({ action, deleted }) => [action, deleted])).toEqual([
      ['vendor.create', false],
      ['vendor.update', false],
      ['vendor.delete', true],
    ]);
    expect(items[2]?.changes).toMatchObject({ name: 'Cloud Inc', status: 'active', active: true });
    const [first = { sequence: 0 }] = items;
    expect(items.map(({ sequence }) => sequence - first.sequence)).toEqual([0, 1, 2]);
  });

  test('returns pages of the requested size, and says if more events are there', async () => {
    const cursor = await now();
    for (const name of ['A', 'B', 'C', 'D']) await acme.vendor.create({ name });
    await seal(acme);
    const names = ({ items }: { items: { changes: Record<string, unknown> }[] }) =>
      items.map(({ changes }) => changes['name']);
    const first = await feed.changes.list({ cursor, limit: 3 });
    expect([names(first), first.more]).toEqual([['A', 'B', 'C'], true]);
    const second = await feed.changes.list({ cursor: first.cursor, limit: 3 });
    expect([names(second), second.more]).toEqual([['D'], false]);
    const exact = await feed.changes.list({ cursor, limit: 4 });
    expect([names(exact), exact.more, exact.cursor]).toEqual([['A', 'B', 'C', 'D'], false, second.cursor]);
    expect((await readAll(feed, { cursor, limit: 1 })).items).toEqual(exact.items);
  });

  test('returns 100 events by default and up to 500', async ({ company }) => {
    const caller = await callerForKey(company.key);
    await insertEvents(company, 600);
    await seal(company);
    expect((await caller.changes.list()).items).toHaveLength(100);
    expect((await caller.changes.list({ limit: 500 })).items).toHaveLength(500);
    expect((await readAll(caller)).items.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 605 }, (_, index) => index + 1),
    );
  });

  test('returns the same cursor while nothing happens, and the events after it later', async () => {
    const cursor = await now();
    const empty = await feed.changes.list({ cursor });
    expect(empty).toEqual({ items: [], cursor, more: false });
    const { uniqueId } = await acme.vendor.create({ name: 'Later' });
    expect(await feed.changes.list({ cursor })).toEqual(empty); // an event has no number before it is sealed
    await seal(acme);
    expect(await feed.changes.list({ cursor })).toMatchObject({ items: [{ resource: { uniqueId } }], more: false });
  });

  test('returns only a cursor with from=now', async () => {
    await acme.vendor.create({ name: 'Before' });
    await seal(acme);
    const { cursor, ...rest } = await feed.changes.list({ from: 'now', limit: 5, wait: 30 });
    expect(rest).toEqual({ items: [], more: false });
    expect(await feed.changes.list({ cursor })).toMatchObject({ items: [] });
  });

  test('has a cursor for a company without any seal', async ({ company }) => {
    const caller = await callerForKey(company.key);
    const start = await caller.changes.list();
    expect(start).toMatchObject({ items: [], more: false });
    expect(await caller.changes.list({ from: 'now' })).toEqual(start);
    await seal(company);
    expect((await caller.changes.list({ cursor: start.cursor })).items[0]).toMatchObject({ sequence: 1 });
  });
});

describe('a cursor', () => {
  test('of another company is 400', async () => {
    const cursor = await now();
    const other = await createCompany();
    const response = await http('GET', `${PATH}?cursor=${cursor}`, { key: other.key });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^cursor: /) } });
  });

  test('that was changed, or belongs to another list, is 400', async () => {
    const cursor = await now();
    await acme.vendor.create({ name: 'x' });
    const { nextCursor } = await feed.audit.list({ limit: 1 });
    const changed = [
      `${cursor}A`,
      cursor.slice(1),
      `${cursor[0] === 'A' ? 'B' : 'A'}${cursor.slice(1)}`,
      'x',
      String(nextCursor),
    ];
    for (const bad of changed) {
      const response = await http('GET', `${PATH}?cursor=${encodeURIComponent(bad)}`, { key: acme.key });
      expect(response).toMatchObject({ status: 400, headers: { 'x-error-code': 'invalid_request' } });
    }
    expect((await http('GET', `/external/audit/list?cursor=${cursor}`, { key: acme.key })).status).toBe(400);
  });

  test.for([
    ['cursor=CURSOR&from=now', 'from: not allowed with cursor'],
    ['from=then', 'from: expected now'],
    ['from=', 'from: expected now'],
    ['limit=0', 'limit: expected an integer from 1 to 500'],
    ['limit=501', 'limit: expected an integer from 1 to 500'],
    ['limit=1e2', 'limit: expected an integer from 1 to 500'],
    ['wait=31', 'wait: expected an integer from 0 to 30'],
    ['wait=-1', 'wait: expected an integer from 0 to 30'],
    ['wait=', 'wait: expected an integer from 0 to 30'],
    ['wait=1&wait=2', 'wait: expected only once'],
    ['cursor=', 'cursor: expected'],
    ['since=2026-01-01T00:00:00Z', 'since: unknown parameter; known: cursor, limit, wait, from'],
  ] as const)('is rejected, like other invalid input: %s', async ([query, error]) => {
    const path = `${PATH}?${query.replace('CURSOR', await now())}`;
    const response = await http('GET', path, { key: acme.key });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
  });

  test('is the same over REST, tRPC and a caller', async () => {
    await acme.vendor.create({ name: 'Parity' });
    const cursor = await now();
    await acme.vendor.create({ name: 'Parity' });
    await seal(acme);
    const page = await feed.changes.list({ cursor, limit: 1 });
    const rest = await http('GET', `${PATH}?cursor=${cursor}&limit=1`, { key: acme.key });
    expect(rest).toMatchObject({ status: 200, body: page });
    const input = encodeURIComponent(JSON.stringify({ cursor, limit: 1 }));
    const trpc = await http('GET', `/trpc/changes.list?input=${input}`, { key: acme.key });
    expect(trpc).toMatchObject({ status: 200, body: { result: { data: page } } });
    expect((await http('GET', PATH, { key: acme.key })).body).toEqual(await feed.changes.list());
  });
});

describe('a key', () => {
  test('limited to frameworks gets the events that the audit list shows it, with holes in the numbers', async ({
    company,
  }) => {
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    const limited = callerWithPermissions(company, { frameworks: [company.framework] });
    await company.manage.gap.create({ framework: other.id, title: 'Hidden gap' });
    for (const framework of [company.framework, other.id, other.id, company.framework, other.id]) {
      const { uniqueId } = await company.newTask({ framework });
      await company.task.update({ taskUniqueId: uniqueId, priority: 1 });
      await company.vendor.create({ name: 'Seen by all' });
    }
    await seal(company);
    const audited = (await limited.audit.list({ limit: 100 })).items.toReversed();
    for (const limit of [1, 2, 3, 100]) {
      const { items, cursor } = await readAll(limited, { limit });
      expect(items.map(({ uniqueId }) => uniqueId)).toEqual(audited.map(({ uniqueId }) => uniqueId));
      expect(await limited.changes.list({ cursor })).toMatchObject({ items: [], more: false });
      const { items: all } = await readAll(await callerForKey(company.key));
      const numbers = new Map(all.map(({ uniqueId, sequence }) => [uniqueId, sequence]));
      expect(items.map(({ sequence }) => sequence)).toEqual(audited.map(({ uniqueId }) => numbers.get(uniqueId)));
      expect(all.length).toBe(items.length + 7);
    }
  });

  test('whose events are hidden moves past them in bounded steps', async ({ company }) => {
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    await seal(company);
    const limited = callerWithPermissions(company, { frameworks: [company.framework] });
    const { cursor } = await limited.changes.list({ from: 'now' });
    await insertEvents(company, MAX_SCANNED_SEALS + 50, other.id);
    await company.vendor.create({ name: 'Behind them' });
    await seal(company);
    const first = await limited.changes.list({ cursor, wait: 30 });
    expect(first).toMatchObject({ items: [], more: true });
    const second = await limited.changes.list({ cursor: first.cursor });
    expect(second).toMatchObject({ items: [{ changes: { name: 'Behind them' } }], more: false });
    const start = second.items[0]?.sequence ?? 0;
    await insertEvents(company, 3, other.id);
    await seal(company);
    const third = await limited.changes.list({ cursor: second.cursor, limit: 1 });
    expect(third).toMatchObject({ items: [], more: false });
    await company.vendor.create({ name: 'Last' });
    await seal(company);
    expect((await limited.changes.list({ cursor: third.cursor })).items).toMatchObject([{ sequence: start + 4 }]);
  });
});

describe('a restored database', () => {
  /** A company, a cursor after its last event, and the number of that event. */
  async function createFollower() {
    const company = await createCompany();
    const caller = await callerForKey(company.key);
    for (const name of ['A', 'B', 'C']) await company.vendor.create({ name });
    await seal(company);
    const { items, cursor } = await readAll(caller);
    return { company, caller, cursor, head: items.length };
  }

  test('responds 410 for a cursor from its lost future', async () => {
    const { company, cursor, head } = await createFollower();
    await loseEvents(company, head - 1);
    const response = await http('GET', `${PATH}?cursor=${cursor}`, { key: company.key });
    expect(response).toMatchObject({ status: 410, headers: { 'x-error-code': 'cursor_lost' } });
    const wait = await http('GET', `${PATH}?cursor=${cursor}&wait=30`, { key: company.key });
    expect(wait.status).toBe(410);
    const lines = await http('GET', `${PATH}?cursor=${cursor}`, {
      key: company.key,
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(lines).toMatchObject({ status: 410, body: { error: expect.stringMatching(/^cursor: /) } });
  });

  test('responds 410 also after other events took the numbers', async () => {
    const { company, cursor, head } = await createFollower();
    await loseEvents(company, head - 2);
    for (const name of ['X', 'Y', 'Z']) await company.vendor.create({ name });
    await seal(company);
    const [{ count } = { count: 0 }] = await sql<{ count: number }>(
      'select count(*)::int as count from audit_seal where company_id = $1',
      company.id,
    );
    expect(count).toBe(head + 1);
    expect((await http('GET', `${PATH}?cursor=${cursor}`, { key: company.key })).status).toBe(410);
  });

  test('keeps a cursor from before the restored state', async () => {
    const { company, caller, head } = await createFollower();
    const { cursor } = await caller.changes.list({ limit: head - 1 });
    await loseEvents(company, head - 1);
    expect(await caller.changes.list({ cursor })).toMatchObject({ items: [], more: false });
    await company.vendor.create({ name: 'Next' });
    await seal(company);
    expect((await caller.changes.list({ cursor })).items).toMatchObject([
      { sequence: head, changes: { name: 'Next' } },
    ]);
  });
});
