import { beforeAll, describe, expect, test } from 'vitest';
import { asOwner, sql, tamper } from '../support/database/database.ts';
import { runJob } from '../support/database/jobs.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { importFile } from '../support/tenants/imports.ts';
import { readPages } from '../support/tenants/pages.ts';

const JOB = 'fill-task-closings';
const CLOSED = ['done', 'not_applicable', 'canceled'] as const;

/** Takes from tasks of a company what versions before 0.19.0 did not keep. */
const forgetClosings = ({ id }: TestCompany) =>
  tamper(`update task set closed_at = null, closed_by_id = null where company_id = ${id}`);

const stored = ({ id }: TestCompany) =>
  sql(
    `select to_jsonb(t) - '{closed_at,closed_by_id}'::text[] as row from task t where company_id = $1 order by unique_id`,
    id,
  );

describe('when and by whom a task was closed', () => {
  let acme: TestCompany;
  let integration: object;
  beforeAll(async () => {
    acme = await createCompany();
    const { uniqueId, name, kind } = acme.apiKey.user;
    integration = { uniqueId, name, kind };
  });
  const get = (taskUniqueId: string) => acme.task.get({ taskUniqueId });

  test.for(CLOSED)('is shown as long as it is %s, and is that of the last time', async (status) => {
    const ann = await createMember(acme, { name: 'Ann', role: 'editor' });
    const { uniqueId: taskUniqueId, ...created } = await acme.newTask();
    expect(created).toMatchObject({ closedAt: null, closedBy: null });
    const first = await acme.task.update({ taskUniqueId, status });
    expect(first).toMatchObject({ closedAt: first.updatedAt, closedBy: integration });
    const later = await ann.caller.task.update({ taskUniqueId, title: 'Changed after that' });
    expect(later).toMatchObject({ closedAt: first.closedAt, closedBy: integration, updatedBy: { name: 'Ann' } });
    expect(await acme.task.update({ taskUniqueId, status: 'in_review' })).toMatchObject({
      closedAt: null,
      closedBy: null,
    });
    const again = await ann.caller.task.update({ taskUniqueId, status });
    expect(again).toMatchObject({
      closedAt: again.updatedAt,
      closedBy: { uniqueId: ann.uniqueId, name: 'Ann', kind: 'human' },
    });
    expect(await get(taskUniqueId)).toEqual(again);
  });

  test('is kept for a new task with a closed status, and for statements of earlier versions, which do not know it', async () => {
    const key = { framework: acme.framework, source: 'jira', externalId: 'closed' };
    const { item } = await acme.task.putByExternalId({ ...key, title: 'Closed before', status: 'done' });
    expect(item).toMatchObject({ closedAt: item.createdAt, closedBy: integration });
    const { uniqueId } = await acme.newTask();
    const settings = { company: acme.id, user: acme.apiKey.user.uniqueId };
    const set = (status: string) =>
      asOwner(
        (run) =>
          run(
            `update task set status = $1, version = version + 1 where company_id = $2 and unique_id = $3`,
            status,
            acme.id,
            uniqueId,
          ),
        settings,
      );
    await set('canceled');
    expect(await get(uniqueId)).toMatchObject({ closedAt: expect.any(String), closedBy: integration });
    await set('todo');
    expect(await get(uniqueId)).toMatchObject({ closedAt: null, closedBy: null });
  });

  test('is in no event, no earlier state and no entity tag, nor is the name of the user', async () => {
    const ann = await createMember(acme, { name: 'Ann', role: 'editor' });
    const { uniqueId: taskUniqueId } = await acme.newTask();
    await ann.caller.task.update({ taskUniqueId, status: 'done' });
    const { etag, updatedAt: asOf } = await acme.task.update({ taskUniqueId, title: 'Last changed by the key' });
    expect(
      await (await callerForKey(acme.key)).task.get({ taskUniqueId, asOf: `${asOf.slice(0, -1)}999Z` }),
    ).toMatchObject({
      status: 'done',
      closedAt: null,
      closedBy: null,
    });
    await tamper(
      `update company_user set name = 'Ann Berg' where company_id = ${acme.id} and unique_id = '${ann.uniqueId}'`,
    );
    expect(await get(taskUniqueId)).toMatchObject({ etag, closedBy: { name: 'Ann Berg' } });
    const events = await acme.events(taskUniqueId);
    expect(events.map(({ changes }) => changes)).toEqual([
      expect.not.objectContaining({ closed_at: expect.anything() }),
      { status: { from: 'todo', to: 'done' } },
      { title: expect.anything() },
    ]);
    expect(Object.keys(events[0]?.changes ?? {}).filter((column) => column.startsWith('closed'))).toEqual([]);
  });

  test('arrives with a company from another cell as it is', async () => {
    const { uniqueId } = await acme.newTask();
    await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    const closing = { closed_at: '2020-02-02T02:02:02+00:00', closed_by_id: null };
    const [copied] = await asOwner(
      async (run) => {
        await run(`select set_config('app.receiving', $1, true)`, String(acme.id));
        return run(
          `insert into task select (jsonb_populate_record(t, jsonb_build_object('unique_id', uuid_v7()) || $1::jsonb)).*
           from task t where company_id = $2 and unique_id = $3 returning to_jsonb(task) as row`,
          JSON.stringify(closing),
          acme.id,
          uniqueId,
        );
      },
      { company: acme.id },
    );
    expect(copied).toMatchObject({ row: { status: 'done', ...closing } });
  });

  test('is in exports, and an import of one changes nothing', async () => {
    const globex = await createCompany('Globex');
    await globex.manage.settings.update({ timeZone: 'Pacific/Kiritimati' });
    const key = { framework: globex.framework, source: 'jira', externalId: 'one' };
    const { item } = await globex.task.putByExternalId({ ...key, title: 'Done', status: 'done' });
    await tamper(`update task set closed_at = '2026-06-30T11:00:00Z' where company_id = ${globex.id}`);
    const path = `/external/task/framework/${globex.framework}`;
    const file = (query: string, accept: string) =>
      http('GET', `${path}/list?source=jira${query}`, { key: globex.key, headers: { accept } });
    const ndjson = await file('', 'application/x-ndjson');
    expect(JSON.parse(ndjson.text)).toMatchObject({ closedAt: '2026-06-30T11:00:00.000Z', closedBy: item.closedBy });
    const csv = await file('', 'text/csv');
    expect(csv.text).toContain(',closedAt,closedBy,');
    expect(csv.text).toContain(`,2026-06-30T11:00:00.000Z,${item.closedBy?.name},`);
    const forPeople = await file('&format=people', 'text/csv');
    expect(forPeople.text).toContain(`,Closed at,Closed by,`);
    expect(forPeople.text).toContain(`,2026-07-01,${item.closedBy?.name},`);
    for (const { text } of [csv, forPeople]) {
      const altered = text.replaceAll(String(item.closedBy?.name), 'Somebody else').replace('2026-0', '2025-0');
      expect(await importFile(globex, `${path}/import?source=jira`, altered)).toMatchObject({
        unchanged: 1,
        failed: 0,
      });
    }
  });
});

describe('the lists of tasks', () => {
  let acme: TestCompany;
  let caller: Awaited<ReturnType<typeof callerForKey>>;
  /** Times of Auckland, where 1 April 2026 begins at 11:00 UTC on 31 March. */
  const TIMES = [
    '2026-03-30T11:00:00.000Z',
    '2026-03-31T10:59:59.999Z',
    '2026-03-31T11:00:00.000Z',
    '2026-04-01T11:00:00.000Z',
  ];
  beforeAll(async () => {
    acme = await createCompany();
    caller = await callerForKey(acme.key);
    await acme.manage.settings.update({ timeZone: 'Pacific/Auckland' });
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const ann = await createMember(acme, { name: 'Ann', role: 'editor' });
    for (const [index, time] of [...TIMES, null].entries()) {
      const { uniqueId } = await acme.newTask({
        title: String(index),
        framework: index === 1 ? other.id : acme.framework,
        labels: ['quarterly'],
        assigneeId: ann.uniqueId,
      });
      if (time === null) continue;
      await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
      await tamper(`update task set closed_at = '${time}' where company_id = ${acme.id} and unique_id = '${uniqueId}'`);
    }
  });
  type Query = Parameters<typeof caller.task.listAll>[0];
  const titles = async (query: Query) =>
    (await caller.task.listAll({ sort: 'createdAt', limit: 100, ...query })).items?.map(({ title }) => title).join('');

  test.for<[Query, string]>([
    [{ closedAfter: '2026-03-31' }, '0123'],
    [{ closedAfter: '2026-04-01' }, '23'],
    [{ closedBefore: '2026-03-31' }, '01'],
    [{ closedAfter: '2026-04-01', closedBefore: '2026-04-01' }, '2'],
    [{ closedAfter: '2999-12-31' }, ''],
    [{ closedBefore: '2999-12-31' }, '0123'],
  ])(
    'select those that were closed within %o, days of the company, beside any other filter',
    async ([range, expected]) => {
      const others: Query[] = [
        {},
        { status: 'done' },
        { label: 'quarterly' },
        { updatedSince: '2020-01-01T00:00:00Z' },
        { evidence: 'none' },
        { assignee: (await caller.task.listAll({ limit: 1 })).items?.[0]?.assignee?.uniqueId },
        { requirement: 'none' },
      ];
      for (const other of others) {
        expect(await titles({ ...other, ...range })).toBe(expected);
        expect(await caller.task.listAll({ ...other, ...range })).toEqual({ total: expected.length });
      }
      expect(await titles({ ...range, status: 'open' })).toBe('');
      const inOne = await caller.task.list({ ...range, framework: acme.framework });
      expect(inOne.total).toBe(expected.replace('1', '').length);
    },
  );

  test('sort by when they were closed, with open ones last, on pages of any size', async () => {
    for (const limit of [1, 2, 4, 5]) {
      const seen: string[] = [];
      for await (const page of readPages((from) => caller.task.listAll({ sort: '-closedAt', limit, ...from })))
        seen.push(...(page.items ?? []).map(({ title }) => title));
      expect(seen.join('')).toBe('32104');
    }
  });

  test('take a cursor only with the same days, and reject what is no day', async () => {
    const query = { closedAfter: '2026-03-31', limit: 1 };
    const { nextCursor } = await caller.task.listAll(query);
    const cursor = nextCursor ?? '';
    expect(await titles({ ...query, cursor, sort: '-createdAt' })).toBe('2');
    await expect(caller.task.listAll({ ...query, closedAfter: '2026-03-30', cursor })).rejects.toThrow('cursor:');
    const path = '/external/task/list?closedBefore=2026-02-30';
    expect(await http('GET', path, { key: acme.key })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('closedBefore: expected a calendar date') },
    });
  });
});

describe('the job for tasks of earlier versions', () => {
  test('fills in the last event by which each became closed, and changes nothing else', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann', role: 'editor' });
    const key = { framework: acme.framework, source: 'jira' };
    for (let index = 0; index < 410; index++)
      await acme.task.putByExternalId({
        ...key,
        externalId: String(index),
        title: 'Closed at once',
        status: CLOSED[index % 3],
      });
    const { uniqueId: taskUniqueId } = await acme.newTask({ title: 'done' });
    await acme.newTask();
    await acme.task.update({ taskUniqueId, status: 'done' });
    await ann.caller.task.update({ taskUniqueId, status: 'todo' });
    await ann.caller.task.update({ taskUniqueId, status: 'canceled' });
    await acme.task.update({ taskUniqueId, labels: ['later'] });
    const closings = () =>
      sql(`select unique_id, closed_at, closed_by_id from task where company_id = $1 order by unique_id`, acme.id);
    const [expected, rows, events] = [await closings(), await stored(acme), await acme.events()];
    await forgetClosings(acme);
    await runJob(JOB, { processes: 2 });
    expect(await closings()).toEqual(expected);
    expect(await stored(acme)).toEqual(rows);
    expect(await acme.events()).toEqual(events);
  });

  test('takes the last change of a task without an event, and leaves a frozen company until it is unfrozen', async () => {
    const acme = await createCompany();
    const { uniqueId: taskUniqueId } = await acme.newTask();
    const { updatedAt, updatedBy } = await acme.task.update({ taskUniqueId, status: 'done' });
    await forgetClosings(acme);
    await tamper(
      `delete from audit_event where company_id = ${acme.id} and resource_id = '${taskUniqueId}'`,
      `update company set frozen_at = now() where id = ${acme.id}`,
    );
    const get = () => acme.task.get({ taskUniqueId });
    await runJob(JOB);
    expect(await get()).toMatchObject({ closedAt: null });
    await tamper(`update company set frozen_at = null where id = ${acme.id}`);
    await runJob(JOB);
    expect(await get()).toMatchObject({ closedAt: updatedAt, closedBy: updatedBy });
  });
});
