import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';

let acme: Awaited<ReturnType<typeof createCompany>>;
let caller: Awaited<ReturnType<typeof callerForKey>>;
let key: string;
let framework: number;

beforeAll(async () => {
  acme = await createCompany();
  ({ key } = await acme.manage.apiKey.create({ name: 'Requirements', scopes: [...SCOPES] }));
  caller = await callerForKey(key);
  ({ id: framework } = await acme.manage.framework.create({ name: 'ISO 27001' }));
});

/** A framework of its own, for lists. */
const newFramework = async () => (await acme.manage.framework.create({ name: crypto.randomUUID() })).id;
const create = (fields: object = {}) =>
  caller.requirement.create({ framework, ref: crypto.randomUUID(), title: 'Policies', ...fields });

describe('a requirement', () => {
  test('has the fields of the contract, in its order', async () => {
    const created = await create({ ref: ' A.5.1 ', title: 'Policies' });
    expect(created).toMatchObject({
      framework,
      ref: 'A.5.1',
      title: 'Policies',
      description: '',
      parent: null,
      position: 0,
      assessable: true,
      applicable: true,
      justification: '',
      owner: null,
      assessment: null,
      status: 'not_assessed',
      tasks: { open: 0, overdue: 0, closed: 0 },
      evidenceCount: 0,
      version: 1,
    });
    const { body } = await http('GET', `/external/requirement/${created.uniqueId}/item`, { key });
    expect(Object.keys(Object(body))).toEqual([
      'uniqueId',
      'framework',
      'ref',
      'title',
      'description',
      'parent',
      'position',
      'assessable',
      'applicable',
      'justification',
      'owner',
      'assessment',
      'status',
      'tasks',
      'evidenceCount',
      'createdAt',
      'updatedAt',
      'createdBy',
      'updatedBy',
      'version',
    ]);
  });

  test('has a ref that no other of its framework has, ignoring case', async () => {
    await create({ ref: 'CC6.1' });
    const error = 'ref: cc6.1 is already used by another requirement of the framework';
    await expect(create({ ref: 'cc6.1' })).rejects.toThrow(error);
    const other = await create({ ref: 'CC6.2' });
    await expect(caller.requirement.update({ requirement: other.uniqueId, ref: 'cc6.1' })).rejects.toThrow(error);
    await expect(caller.requirement.update({ requirement: other.uniqueId, ref: 'cc6.2' })).resolves.toMatchObject({
      ref: 'cc6.2',
    });
    const elsewhere = await newFramework();
    await expect(create({ framework: elsewhere, ref: 'CC6.1' })).resolves.toMatchObject({ ref: 'CC6.1' });
  });

  test('has at most one of several creates at once with one ref', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ ref: 'RACE.1' })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('stands below another one of its framework, in at most six levels, and in no circle', async () => {
    const levels = [await create()];
    for (let level = 2; level <= 6; level += 1) levels.push(await create({ parent: levels.at(-1)?.uniqueId }));
    await expect(create({ parent: levels[5]?.uniqueId })).rejects.toThrow('parent: expected an outline of at most 6');
    const top = levels[0]?.uniqueId ?? '';
    const circle = caller.requirement.update({ requirement: top, parent: levels[2]?.uniqueId ?? '' });
    await expect(circle).rejects.toThrow('parent: expected an outline of at most 6 levels, without a circle');
    const elsewhere = await newFramework();
    await expect(create({ framework: elsewhere, parent: top })).rejects.toThrow(
      'parent: expected a requirement of this framework',
    );
    await expect(caller.requirement.delete({ requirement: top })).rejects.toThrow('has 1 requirement below it');
  });

  test('needs a justification if it does not apply, and keeps its assessment then', async () => {
    const { uniqueId: requirement } = await create();
    await expect(create({ applicable: false })).rejects.toThrow('justification: expected why');
    await caller.requirement.assess({ requirement, result: 'partly_met', note: 'Half of it' });
    const excluded = { requirement, applicable: false, justification: 'We have no office' };
    await expect(caller.requirement.update({ requirement, applicable: false })).rejects.toThrow(
      'justification: expected',
    );
    await expect(caller.requirement.update(excluded)).resolves.toMatchObject({
      status: 'not_applicable',
      assessment: { result: 'partly_met', note: 'Half of it', by: { kind: 'integration' } },
    });
    await expect(caller.requirement.assess({ requirement, result: 'met' })).rejects.toThrow('does not apply');
  });

  test('is assessed again and again, each with its event, and withdrawn once', async () => {
    const { uniqueId: requirement } = await create();
    await caller.requirement.assess({ requirement, result: 'met' });
    await expect(caller.requirement.assess({ requirement, result: 'met' })).resolves.toMatchObject({ version: 3 });
    await expect(caller.requirement.assess({ requirement, result: null })).resolves.toMatchObject({
      version: 4,
      status: 'not_assessed',
      assessment: null,
    });
    await expect(caller.requirement.assess({ requirement, result: null })).resolves.toMatchObject({ version: 4 });
    const { items } = await caller.requirement.history({ requirement });
    expect(items.map(({ action }) => action)).toEqual([
      'requirement.assess',
      'requirement.assess',
      'requirement.assess',
      'requirement.create',
    ]);
    expect(items[1]?.changes).toMatchObject({ assessment: { from: { result: 'met' }, to: { result: 'met' } } });
  });

  test('that is a heading has no status, no assessment and no tasks', async () => {
    const heading = await create({ assessable: false });
    expect(heading.status).toBeNull();
    const { uniqueId: requirement } = heading;
    await expect(caller.requirement.assess({ requirement, result: 'met' })).rejects.toThrow('is a heading');
    const { uniqueId: assessed } = await create();
    await caller.requirement.assess({ requirement: assessed, result: 'met' });
    await expect(caller.requirement.update({ requirement: assessed, assessable: false })).rejects.toThrow(
      'assessable: the requirement is assessed',
    );
    const linking = caller.task.create({ framework, title: 'Write it', requirements: [requirement] });
    await expect(linking).rejects.toThrow('requirements: expected requirements of the company that are not headings');
    const { uniqueId: linked } = await create();
    await caller.task.create({ framework, title: 'Write it', requirements: [linked] });
    await expect(caller.requirement.update({ requirement: linked, assessable: false })).rejects.toThrow(
      'assessable: tasks are linked',
    );
  });

  test('shows itself as it was, without the numbers of its tasks', async () => {
    const { uniqueId: requirement, createdAt } = await create({ title: 'Before' });
    await caller.requirement.update({ requirement, title: 'After' });
    await expect(caller.requirement.get({ requirement, asOf: createdAt })).resolves.toMatchObject({
      title: 'Before',
      tasks: null,
      evidenceCount: null,
      version: 1,
    });
  });
});

describe('the list of a framework', () => {
  test('is by position, then by ref with numbers compared as numbers', async () => {
    const own = await newFramework();
    for (const ref of ['A.5.10', 'a.5.9', 'A.5', 'B.1', 'A.10.1']) await create({ framework: own, ref });
    await create({ framework: own, ref: 'Z', position: 0 });
    await create({ framework: own, ref: 'A.0', position: 7 });
    const { items } = await caller.requirement.list({ framework: own });
    const refs = items.map(({ ref }) => ref);
    expect(refs).toEqual(['A.5', 'a.5.9', 'A.5.10', 'A.10.1', 'B.1', 'Z', 'A.0']);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await caller.requirement.list({ framework: own, limit: 2, ...(cursor && { cursor }) });
      paged.push(...page.items.map(({ ref }) => ref));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(refs);
  });

  test('is filtered by status, parent, owner, text and work', async () => {
    const own = await newFramework();
    const heading = await create({ framework: own, ref: '1', title: 'Chapter', assessable: false });
    const met = await create({ framework: own, ref: '1.1', title: 'Access control', parent: heading.uniqueId });
    const open = await create({ framework: own, ref: '1.2', title: 'Backups', parent: heading.uniqueId });
    await caller.requirement.assess({ requirement: met.uniqueId, result: 'met' });
    const task = { framework, title: 'Restore', dueDate: '2020-01-01', requirements: [open.uniqueId] };
    await caller.task.create(task);
    const refsOf = async (query: Omit<Parameters<typeof caller.requirement.list>[0], 'framework'>) =>
      (await caller.requirement.list({ framework: own, ...query })).items.map(({ ref }) => ref);
    expect(await refsOf({ status: 'met,not_applicable' })).toEqual(['1.1']);
    expect(await refsOf({ parent: 'none' })).toEqual(['1']);
    expect(await refsOf({ parent: heading.uniqueId })).toEqual(['1.1', '1.2']);
    expect(await refsOf({ q: 'ACCESS' })).toEqual(['1.1']);
    expect(await refsOf({ owner: 'none' })).toEqual(['1', '1.1', '1.2']);
    expect(await refsOf({ work: 'none' })).toEqual(['1.1']);
    expect(await refsOf({ work: 'open' })).toEqual(['1.2']);
    expect(await refsOf({ work: 'overdue' })).toEqual(['1.2']);
    const { items } = await caller.requirement.list({ framework: own, q: 'backups' });
    expect(items[0]?.tasks).toEqual({ open: 1, overdue: 1, closed: 0 });
    expect(items[0]).not.toHaveProperty('refOrder');
  });

  test('is exported as CSV with the refs of parents', async () => {
    const own = await newFramework();
    const heading = await create({ framework: own, ref: '1', title: 'Chapter', assessable: false });
    await create({ framework: own, ref: '1.1', title: 'Access', parent: heading.uniqueId });
    const path = `/external/framework/${own}/requirement/list`;
    const { text, status } = await http('GET', path, { key, headers: { accept: 'text/csv' } });
    expect(status).toBe(200);
    const [header = '', first = '', second = ''] = text.slice(1).split('\r\n');
    expect(header).toBe(
      'uniqueId,framework,ref,title,description,parent,parentRef,position,assessable,applicable,justification,owner,ownerId,' +
        'assessment,status,tasks,evidenceCount,createdAt,updatedAt,createdBy,updatedBy,version',
    );
    expect(first.split(',').slice(2, 4)).toEqual(['1', 'Chapter']);
    expect(second.split(',').slice(5, 7)).toEqual([heading.uniqueId, '1']);
    const people = await http('GET', `${path}?format=people`, { key, headers: { accept: 'text/csv' } });
    expect(people.text.split('\r\n')[0]).toContain('Ref,Title,Description,Parent,');
  });

  test('is 404 for an unknown framework, and 403 for one that the key may not see', async () => {
    await expect(caller.requirement.list({ framework: 999_999 })).rejects.toThrow('framework: not found');
    const { key: limited } = await acme.manage.apiKey.create({
      name: 'L',
      scopes: ['task:read'],
      frameworks: [framework],
    });
    const limitedCaller = await callerForKey(limited);
    await expect(limitedCaller.requirement.list({ framework: await newFramework() })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe('the tasks of requirements', () => {
  test('are linked across frameworks, filtered, and lose a requirement that is deleted', async () => {
    const other = await newFramework();
    const [one, two] = [await create(), await create({ framework: other })];
    const task = await caller.task.create({ framework, title: 'Both', requirements: [two.uniqueId, one.uniqueId] });
    expect(task.requirements).toEqual([two.uniqueId, one.uniqueId]);
    const found = async (requirement: string) =>
      (await caller.task.listAll({ requirement, limit: 10 })).items?.map(({ uniqueId }) => uniqueId);
    expect(await found(one.uniqueId)).toEqual([task.uniqueId]);
    expect(await found(`${one.uniqueId},${two.uniqueId}`)).toEqual([task.uniqueId]);
    expect(await found('none')).not.toContain(task.uniqueId);
    await caller.requirement.delete({ requirement: two.uniqueId });
    await expect(caller.task.get({ taskUniqueId: task.uniqueId })).resolves.toMatchObject({
      requirements: [one.uniqueId],
      version: 2,
    });
  });

  test('that the caller may not see do not count, and a requirement out of sight cannot be linked', async () => {
    const other = await newFramework();
    const [own, hidden] = [await create(), await create({ framework: other })];
    await caller.task.create({ framework: other, title: 'Elsewhere', requirements: [own.uniqueId] });
    const scopes = ['task:read', 'task:write'] as const;
    const { key: limited } = await acme.manage.apiKey.create({
      name: 'L',
      scopes: [...scopes],
      frameworks: [framework],
    });
    const limitedCaller = await callerForKey(limited);
    await expect(limitedCaller.requirement.get({ requirement: own.uniqueId })).resolves.toMatchObject({
      tasks: { open: 0, overdue: 0, closed: 0 },
    });
    await expect(
      limitedCaller.task.create({ framework, title: 'No', requirements: [hidden.uniqueId] }),
    ).rejects.toThrow(
      `requirements: expected requirements of the company that are not headings; cannot be used: ${hidden.uniqueId}`,
    );
  });
});

test('a batch creates, changes and deletes requirements of its framework only', async () => {
  const own = await newFramework();
  const [kept, gone, elsewhere] = [await create({ framework: own }), await create({ framework: own }), await create()];
  const result = await caller.requirement.batch({
    framework: own,
    items: [
      { op: 'create', body: { ref: 'NEW', title: 'New' } },
      { op: 'create', body: { ref: 'new', title: 'Again' } },
      { op: 'update', uniqueId: kept.uniqueId, body: { title: 'Changed' } },
      { op: 'delete', uniqueId: gone.uniqueId },
      { op: 'update', uniqueId: elsewhere.uniqueId, body: { title: 'Changed' } },
    ],
  });
  expect(result.results.map(({ status }) => status)).toEqual([201, 409, 200, 204, 404]);
  await expect(caller.requirement.get({ requirement: elsewhere.uniqueId })).resolves.toMatchObject({
    title: 'Policies',
  });
});
