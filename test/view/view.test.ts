import { beforeEach, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { VIEW_LIMITS } from '../../entities/view/view.ts';
import { asOwner } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let ann: TestMember;
let bob: TestMember;
let admin: TestMember;

beforeEach(async () => {
  acme = await createCompany();
  ann = await createMember(acme, { role: 'editor', name: 'Ann' });
  bob = await createMember(acme, { role: 'auditor', name: 'Bob' });
  admin = await createMember(acme, { role: 'admin', name: 'Cleo' });
});

const VIEW = { name: 'Overdue', page: 'tasks', query: 'due=overdue' } as const;
const namesOf = async ({ caller }: TestMember) => (await caller.view.list()).map(({ name }) => name);
const NOT_FOUND = { code: 'NOT_FOUND' };
const FORBIDDEN = { code: 'FORBIDDEN', message: 'view: only its owner or an admin may change it' };

/** Gives a member views, up to a number. */
const fill = ({ uniqueId }: TestMember, count: number) =>
  asOwner(
    (run) =>
      run(
        `insert into view (company_id, unique_id, member_id, name, page, query)
         select $1::int, gen_random_uuid(), $2::uuid, 'View', 'tasks', '' from generate_series(1, $3::int)`,
        acme.id,
        uniqueId,
        count,
      ),
    { company: acme.id, user: uniqueId },
  );

test('a view is created, listed, changed and deleted, without events', async () => {
  const before = await acme.events();
  const created = await ann.caller.view.create(VIEW);
  const owner = { uniqueId: ann.uniqueId, name: 'Ann', kind: 'human' };
  expect(created).toEqual({ uniqueId: expect.any(String), ...VIEW, shared: false, owner });
  expect(await ann.caller.view.list()).toEqual([created]);
  const { uniqueId } = created;
  expect(await ann.caller.view.update({ uniqueId })).toEqual(created);
  expect(await ann.caller.view.update({ uniqueId, ...VIEW })).toEqual(created);
  const changes = { name: ' Vendors ', page: 'vendors', query: '', shared: true } as const;
  const changed = { uniqueId, ...changes, name: 'Vendors', owner };
  expect(await ann.caller.view.update({ uniqueId, ...changes })).toEqual(changed);
  expect(await ann.caller.view.update({ uniqueId, query: 'q=x' })).toEqual({ ...changed, query: 'q=x' });
  expect(await ann.caller.view.list()).toEqual([{ ...changed, query: 'q=x' }]);
  expect(await ann.caller.view.delete({ uniqueId })).toBeUndefined();
  expect(await ann.caller.view.list()).toEqual([]);
  expect(await acme.events()).toEqual(before);
});

test.each(['', '?a=%20b&&c=1#x', ' é😀=\t', 'x'.repeat(2000), '<script>'])(
  'the query %j is kept as it is sent',
  async (query) => {
    const { uniqueId } = await ann.caller.view.create({ ...VIEW, query });
    expect(await ann.caller.view.list()).toMatchObject([{ uniqueId, query }]);
  },
);

test('a member sees the own views and the shared ones of the company, by name', async () => {
  await ann.caller.view.create({ ...VIEW, name: 'Beta', shared: true });
  await ann.caller.view.create({ ...VIEW, name: 'Delta' });
  await bob.caller.view.create({ ...VIEW, name: 'Alpha', shared: true });
  await bob.caller.view.create({ ...VIEW, name: 'Gamma' });
  const rival = await createMember(await createCompany('Rival'));
  await rival.caller.view.create({ ...VIEW, name: 'Epsilon', shared: true });
  expect(await namesOf(ann)).toEqual(['Alpha', 'Beta', 'Delta']);
  expect(await namesOf(bob)).toEqual(['Alpha', 'Beta', 'Gamma']);
  expect(await namesOf(admin)).toEqual(['Alpha', 'Beta']);
  expect(await namesOf(rival)).toEqual(['Epsilon']);
});

test('names are the same list without queries, and one view is read with its own', async () => {
  const shared = await ann.caller.view.create({ ...VIEW, shared: true });
  const own = await bob.caller.view.create({ ...VIEW, name: 'Due', query: 'q=x' });
  await ann.caller.view.create({ ...VIEW, name: 'Private' });
  const listed = await bob.caller.view.list();
  expect(listed).toEqual([own, shared]);
  expect(await bob.caller.view.names()).toEqual(listed.map(({ query: _query, ...view }) => view));
  for (const { uniqueId, query } of listed)
    expect(await bob.caller.view.get({ uniqueId })).toMatchObject({ uniqueId, query });
});

describe('a view of another member', () => {
  test('is not found while it is private, also by an admin', async () => {
    const { uniqueId } = await ann.caller.view.create(VIEW);
    for (const { caller } of [bob, admin]) {
      await expect(caller.view.get({ uniqueId })).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.view.update({ uniqueId, name: 'x' })).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.view.delete({ uniqueId })).rejects.toMatchObject(NOT_FOUND);
    }
    expect(await namesOf(ann)).toEqual(['Overdue']);
  });

  test('is changed and deleted by an admin only if it is shared, and keeps its owner', async () => {
    const { uniqueId, owner } = await bob.caller.view.create({ ...VIEW, shared: true });
    await expect(ann.caller.view.update({ uniqueId, name: 'x' })).rejects.toMatchObject(FORBIDDEN);
    await expect(ann.caller.view.update({ uniqueId })).rejects.toMatchObject(FORBIDDEN);
    await expect(ann.caller.view.delete({ uniqueId })).rejects.toMatchObject(FORBIDDEN);
    expect(await admin.caller.view.update({ uniqueId, name: 'Due' })).toMatchObject({ name: 'Due', owner });
    expect(await admin.caller.view.update({ uniqueId, shared: false })).toMatchObject({ shared: false, owner });
    expect([await namesOf(admin), await namesOf(bob)]).toEqual([[], ['Due']]);
    await bob.caller.view.update({ uniqueId, shared: true });
    await admin.caller.view.delete({ uniqueId });
    expect(await namesOf(bob)).toEqual([]);
  });

  test('of another company is not found', async () => {
    const rival = await createMember(await createCompany('Rival'));
    const { uniqueId } = await rival.caller.view.create({ ...VIEW, shared: true });
    for (const id of [uniqueId, newUniqueId(), 'x', ''])
      for (const { caller } of [ann, admin]) {
        await expect(caller.view.get({ uniqueId: id })).rejects.toMatchObject(NOT_FOUND);
        await expect(caller.view.update({ uniqueId: id, name: 'x' })).rejects.toMatchObject(NOT_FOUND);
        await expect(caller.view.delete({ uniqueId: id })).rejects.toMatchObject(NOT_FOUND);
      }
    expect(await namesOf(rival)).toEqual(['Overdue']);
  });

  test('stays if it is shared and its owner has ended, with the name of the owner', async () => {
    const shared = await ann.caller.view.create({ ...VIEW, shared: true });
    await ann.caller.view.create({ ...VIEW, name: 'Private' });
    await admin.caller.management.member.end({ uniqueId: ann.uniqueId });
    expect(await bob.caller.view.list()).toEqual([shared]);
    await admin.caller.view.delete({ uniqueId: shared.uniqueId });
    expect(await bob.caller.view.list()).toEqual([]);
  });
});

describe('a member has at most 200 views', () => {
  const MESSAGE = `views: a member has at most ${VIEW_LIMITS.perMember} views`;

  test('shared or not, of its own', async () => {
    await fill(ann, VIEW_LIMITS.perMember - 1);
    await ann.caller.view.create({ ...VIEW, shared: true });
    await expect(ann.caller.view.create(VIEW)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: MESSAGE,
    });
    await bob.caller.view.create(VIEW);
    const [first] = await ann.caller.view.list();
    await ann.caller.view.delete({ uniqueId: first?.uniqueId ?? '' });
    await ann.caller.view.create(VIEW);
    expect(await ann.caller.view.list()).toHaveLength(VIEW_LIMITS.perMember);
  });

  test('also when 10 are created at once', async () => {
    await fill(ann, VIEW_LIMITS.perMember - 3);
    const settled = await Promise.allSettled(Array.from({ length: 10 }, () => ann.caller.view.create(VIEW)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of settled)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ message: MESSAGE });
    expect(await ann.caller.view.list()).toHaveLength(VIEW_LIMITS.perMember);
  });
});

test.each([
  [{ name: '  ' }, 'name: expected text of 1 to 255 characters'],
  [{ name: 'x'.repeat(256) }, 'name: expected text of 1 to 255 characters'],
  [{ page: 'overview' }, 'page: expected one of tasks, vendors, audit'],
  [{ query: 'x'.repeat(2001) }, 'query: expected text of at most 2000 characters'],
  [{ query: 'a\0b' }, 'query: expected well-formed Unicode without NUL'],
  [{ query: null }, 'query: expected text of at most 2000 characters'],
  [{ shared: 'true' }, 'shared: expected true or false'],
  [{ owner: 'x' }, 'owner: unknown field'],
])('the input %o is rejected, and changes nothing', async (fields, message) => {
  const created = await ann.caller.view.create(VIEW);
  const { uniqueId } = created;
  const error = { code: 'BAD_REQUEST', message: expect.stringContaining(message) };
  await expect(ann.caller.view.create({ ...VIEW, ...fields } as never)).rejects.toMatchObject(error);
  await expect(ann.caller.view.update({ uniqueId, ...fields } as never)).rejects.toMatchObject(error);
  expect(await ann.caller.view.list()).toEqual([created]);
});
