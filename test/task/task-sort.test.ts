import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { TASK_FIELD_SORTS } from '../../entities/task/list.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readPages } from '../support/tenants/pages.ts';
import { http } from '../support/http/server.ts';

type Query = Omit<Parameters<TestCompany['task']['list']>[0], 'framework'>;
type Task = NonNullable<Awaited<ReturnType<TestCompany['task']['list']>>['items']>[number];

/** Reads all pages. Calls `betweenPages` after each page. */
async function readAllPages(acme: TestCompany, query: Query, betweenPages: () => Promise<unknown> = async () => {}) {
  const seen: Task[] = [];
  for await (const page of readPages((from) => acme.task.list({ framework: acme.framework, ...query, ...from }))) {
    seen.push(...(page.items ?? []));
    await betweenPages();
  }
  return seen;
}

type Comparison = (a: Task, b: Task) => number;
const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
const ascending: Comparison = (a, b) => compare(a.uniqueId, b.uniqueId);
/** Compares by due date if both tasks have one; otherwise the task without a due date is last. */
const byDueDate = (a: Task, b: Task, direction: 1 | -1) =>
  a.dueDate !== null && b.dueDate !== null
    ? direction * compare(a.dueDate, b.dueDate)
    : Number(a.dueDate === null) - Number(b.dueDate === null);

/** The orders of the contract, stated apart from the code. */
const ORDERS: Record<(typeof TASK_FIELD_SORTS)[number], Comparison> = {
  createdAt: ascending,
  '-createdAt': (a, b) => -ascending(a, b),
  dueDate: (a, b) => byDueDate(a, b, 1) || ascending(a, b),
  '-dueDate': (a, b) => byDueDate(a, b, -1) || -ascending(a, b),
  priority: (a, b) => compare(a.priority, b.priority) || ascending(a, b),
  '-closedAt': (a, b) =>
    Number(a.closedAt === null) - Number(b.closedAt === null) ||
    -compare(a.closedAt ?? '', b.closedAt ?? '') ||
    -ascending(a, b),
  '-updatedAt': (a, b) => -compare(a.updatedAt, b.updatedAt) || -ascending(a, b),
};

const idsOf = (tasks: readonly Task[]) => tasks.map(({ uniqueId }) => uniqueId);

describe('a list of tasks with and without due dates', () => {
  let acme: TestCompany;
  let tasks: Task[];
  beforeAll(async () => {
    acme = await createCompany();
    const days = [null, '2026-03-01', '1900-01-01', null, '2999-12-31', '2026-03-01'];
    for (let index = 0; index < 18; index++) {
      const dueDate = days[index % days.length] ?? null;
      const { uniqueId } = await acme.newTask({ title: `Task ${index}`, priority: 1 + ((index * 3) % 4), dueDate });
      if (index % 3 === 0) await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    }
    const [first] = (await acme.task.list({ framework: acme.framework, sort: 'createdAt', limit: 1 })).items ?? [];
    await acme.task.update({ taskUniqueId: first?.uniqueId ?? '', title: 'Changed last' });
    tasks = (await acme.task.list({ framework: acme.framework, limit: 100 })).items ?? [];
  });

  test.for(TASK_FIELD_SORTS)(
    'sorted by %s has all tasks in this order, for any filter and size of a page',
    async (sort) => {
      const filters = fc.record(
        {
          status: fc.constantFrom('open', 'done', 'todo,done', 'canceled'),
          priority: fc.constantFrom('1', '2,3', 4),
          dueBefore: fc.constantFrom('2026-03-01', '2999-12-31'),
          updatedSince: fc.constantFrom('2020-01-01T00:00:00Z', ...tasks.map(({ updatedAt }) => updatedAt)),
          q: fc.constantFrom('1', 'task'),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 19 }), async (filter, limit) => {
          const { framework } = acme;
          const { items = [], total } = await acme.task.list({ framework, ...filter, limit: 100 });
          const pages = await readAllPages(acme, { ...filter, sort, limit });
          expect(pages).toEqual(items.toSorted(ORDERS[sort]));
          expect(pages).toHaveLength(total);
          expect(await acme.task.list({ framework, ...filter, sort })).toEqual({ total });
        }),
        {
          numRuns: 25,
          examples: [
            [{}, 1],
            [{}, 6],
          ],
        },
      );
    },
  );

  test('is newest first by default', async () => {
    const { framework } = acme;
    const newestFirst = await acme.task.list({ framework, sort: '-createdAt', limit: 4 });
    expect(await acme.task.list({ framework, limit: 4 })).toEqual(newestFirst);
    expect(idsOf(newestFirst.items ?? [])).toEqual(idsOf(tasks.toSorted(ORDERS['-createdAt'])).slice(0, 4));
  });

  test('is sorted over REST too', async () => {
    const path = `/external/task/framework/${acme.framework}/list?status=open,done&sort=-dueDate&limit=7`;
    const first = await http('GET', path, { key: acme.key });
    const { items, nextCursor } = first.body as { items: Task[]; nextCursor: string };
    expect(idsOf(items)).toEqual(idsOf(tasks.toSorted(ORDERS['-dueDate'])).slice(0, 7));
    const next = await http('GET', `${path}&cursor=${nextCursor}`, { key: acme.key });
    expect(idsOf((next.body as { items: Task[] }).items)).toEqual(
      idsOf(tasks.toSorted(ORDERS['-dueDate'])).slice(7, 14),
    );
    expect(first.headers['x-total-count']).toBe('18');
  });

  test('takes a cursor only of the same sort and filters', async () => {
    const { framework } = acme;
    const list = (query: Query) => acme.task.list({ framework, limit: 2, ...query });
    for (const sort of TASK_FIELD_SORTS) {
      const cursor = (await list({ sort, status: 'open' })).nextCursor ?? '';
      expect((await list({ sort, status: 'open', cursor })).items).toHaveLength(2);
      const others: Query[] = [
        ...TASK_FIELD_SORTS.filter((other) => other !== sort).map((other) => ({
          sort: other,
          status: 'open' as const,
        })),
        { sort },
        { sort, status: 'todo' },
        { sort, status: 'open', priority: 1 },
      ];
      for (const other of others) {
        await expect(list({ ...other, cursor })).rejects.toMatchObject({
          code: 'BAD_REQUEST',
          message: 'cursor: expected a cursor of this list with the same filters',
        });
      }
    }
  });

  test('takes a cursor of the same filters in another spelling', async () => {
    const { framework } = acme;
    const list = (query: Query) => acme.task.list({ framework, limit: 2, ...query });
    const { nextCursor } = await list({ status: 'open,done', priority: '2,1' });
    const cursor = nextCursor ?? '';
    const expected = await list({ status: 'open,done', priority: '2,1', cursor });
    const status = 'done,in_review,todo,in_progress,done';
    expect(await list({ status, priority: '1,2,2', sort: '-createdAt', cursor })).toEqual(expected);
  });
});

test('tasks that do not change appear exactly once in each order, whatever happens to others between the pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TASK_FIELD_SORTS),
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.nat()),
      async (sort, limit, choices) => {
        const acme = await createCompany();
        const choose = (max: number) => (choices.next().value ?? 0) % max;
        const day = () => [null, '2026-01-01', '2026-01-02'][choose(3)] ?? null;
        const ids: string[] = [];
        for (let index = 0; index < 10; index++)
          ids.push((await acme.newTask({ priority: 1 + choose(4), dueDate: day() })).uniqueId);
        const stable = new Set(ids);
        const seen = idsOf(
          await readAllPages(acme, { sort, limit }, async () => {
            if (choose(4) === 0) return acme.newTask({ priority: 1 + choose(4), dueDate: day() });
            const taskUniqueId = ids[choose(ids.length)] ?? '';
            stable.delete(taskUniqueId);
            if (choose(2) === 0) return acme.task.delete({ taskUniqueId }).catch(() => {});
            return acme.task.update({ taskUniqueId, priority: 1 + choose(4), dueDate: day() }).catch(() => {});
          }),
        );
        const stableSeen = seen.filter((id) => stable.has(id));
        expect(stableSeen.toSorted()).toEqual([...stable].toSorted());
      },
    ),
    { numRuns: 15 },
  );
});
