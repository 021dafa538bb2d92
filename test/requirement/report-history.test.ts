import { array, assert, asyncProperty, constantFrom, integer, nat, oneof, option, record } from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { evidenceStatements } from '../../entities/evidence/statements.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { RESULTS } from '../../entities/requirement/requirement.ts';
import { TASK_STATUSES, isOpen } from '../../entities/task/task.ts';
import type { TaskStatus } from '../../entities/task/task.ts';
import { todayIn } from '../../procedures/schemas/time-zone.ts';
import { addDays } from '../../procedures/task/due.ts';
import { database, sql, tamper } from '../support/database/database.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';

/** Days of a history, which ends today. */
const DAYS = 40;
const HOUR_MS = 3_600_000;

/** Something that is done. Numbers select an object of those that were made before. */
type Step =
  | { do: 'new task'; dueIn: number | null; elsewhere: boolean }
  | { do: 'change task'; task: number; status: TaskStatus | undefined; dueIn: number | null | undefined }
  | { do: 'delete task'; task: number }
  | { do: 'new requirement'; assessable: boolean }
  | { do: 'assess'; requirement: number; result: (typeof RESULTS)[number] | null }
  | { do: 'exclude'; requirement: number; applicable: boolean }
  | { do: 'link'; task: number; requirement: number }
  | { do: 'delete requirement'; requirement: number }
  | { do: 'new evidence'; of: 'task' | 'requirement'; parent: number; validFor: number | null }
  | { do: 'change evidence'; evidence: number; validFor: number | null }
  | { do: 'delete evidence'; evidence: number };

const dueIn = option(integer({ min: -DAYS - 5, max: 5 }));
const validFor = option(integer({ min: -DAYS - 5, max: 60 }));
const step: Arbitrary<Step> = oneof(
  {
    weight: 3,
    arbitrary: record({ do: constantFrom('new task' as const), dueIn, elsewhere: nat(4).map((n) => n === 0) }),
  },
  {
    weight: 16,
    arbitrary: record({
      do: constantFrom('change task' as const),
      task: nat(),
      status: option(oneof(constantFrom('todo' as const, 'done' as const), constantFrom(...TASK_STATUSES)), {
        nil: undefined,
      }),
      dueIn: option(dueIn, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: record({ do: constantFrom('delete task' as const), task: nat() }) },
  {
    weight: 2,
    arbitrary: record({ do: constantFrom('new requirement' as const), assessable: nat(4).map((n) => n > 0) }),
  },
  {
    weight: 5,
    arbitrary: record({
      do: constantFrom('assess' as const),
      requirement: nat(),
      result: option(constantFrom(...RESULTS)),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      do: constantFrom('exclude' as const),
      requirement: nat(),
      applicable: constantFrom(true, false),
    }),
  },
  { weight: 2, arbitrary: record({ do: constantFrom('link' as const), task: nat(), requirement: nat() }) },
  { weight: 1, arbitrary: record({ do: constantFrom('delete requirement' as const), requirement: nat() }) },
  {
    weight: 4,
    arbitrary: record({
      do: constantFrom('new evidence' as const),
      of: constantFrom('task' as const, 'requirement' as const),
      parent: nat(),
      validFor,
    }),
  },
  { weight: 2, arbitrary: record({ do: constantFrom('change evidence' as const), evidence: nat(), validFor }) },
  { weight: 1, arbitrary: record({ do: constantFrom('delete evidence' as const), evidence: nat() }) },
);

/** Hours from one event to the next one, and by how many an event is earlier than that: its transaction began before others. */
const pauses = array(
  record({ hours: integer({ min: 0, max: 60 }), earlier: oneof({ weight: 4, arbitrary: constantFrom(0) }, nat(20)) }),
  { minLength: 10, maxLength: 10 },
);
type Pause = { hours: number; earlier: number };

const pick = (ids: readonly string[], choice: number) => ids[choice % Math.max(1, ids.length)] ?? '';

async function newCompany(timeZone: string) {
  const acme = await createCompany();
  await acme.manage.settings.update({ timeZone });
  const { key } = await acme.manage.apiKey.create({ name: 'All', scopes: [...SCOPES] });
  const caller = await callerForKey(key);
  const { id: elsewhere } = await acme.manage.framework.create({ name: 'Elsewhere' });
  const ids = { task: [] as string[], requirement: [] as string[], evidence: [] as string[] };
  return { ...acme, caller, ids, elsewhere, today: todayIn(timeZone), timeZone };
}
type Company = Awaited<ReturnType<typeof newCompany>>;

/** Does something. What is not possible, such as to assess a heading, changes nothing. */
async function run({ caller, ids, framework, elsewhere, today }: Company, given: Step): Promise<void> {
  const day = (days: number | null) => (days === null ? null : addDays(today, days));
  switch (given.do) {
    case 'new task': {
      const fields = { title: 'Task', dueDate: day(given.dueIn) };
      const { uniqueId } = await caller.task.create({ framework: given.elsewhere ? elsewhere : framework, ...fields });
      ids.task.push(uniqueId);
      return;
    }
    case 'change task':
      await caller.task.update({
        taskUniqueId: pick(ids.task, given.task),
        ...(given.status !== undefined && { status: given.status }),
        ...(given.dueIn !== undefined && { dueDate: day(given.dueIn) }),
      });
      return;
    case 'delete task':
      await caller.task.delete({ taskUniqueId: pick(ids.task, given.task) });
      return;
    case 'new requirement': {
      const fields = { ref: `R.${ids.requirement.length}`, title: 'Requirement', assessable: given.assessable };
      ids.requirement.push((await caller.requirement.create({ framework, ...fields })).uniqueId);
      return;
    }
    case 'assess':
      await caller.requirement.assess({ requirement: pick(ids.requirement, given.requirement), result: given.result });
      return;
    case 'exclude':
      await caller.requirement.update({
        requirement: pick(ids.requirement, given.requirement),
        applicable: given.applicable,
        justification: 'Because of the scope.',
      });
      return;
    case 'link':
      await caller.task.update({
        taskUniqueId: pick(ids.task, given.task),
        requirements: [pick(ids.requirement, given.requirement)],
      });
      return;
    case 'delete requirement':
      await caller.requirement.delete({ requirement: pick(ids.requirement, given.requirement) });
      return;
    case 'new evidence': {
      const parent =
        given.of === 'task'
          ? { taskUniqueId: pick(ids.task, given.parent) }
          : { requirement: pick(ids.requirement, given.parent) };
      const fields = { url: 'https://example.com', name: 'Proof', date: '2020-01-01', validUntil: day(given.validFor) };
      ids.evidence.push((await caller.evidence.link({ ...parent, ...fields })).uniqueId);
      return;
    }
    case 'change evidence':
      await caller.evidence.update({
        evidence: pick(ids.evidence, given.evidence),
        validUntil: day(given.validFor),
      });
      return;
    case 'delete evidence':
      await caller.evidence.delete({ evidence: pick(ids.evidence, given.evidence) });
  }
}

/** Moves the events to the past, from `DAYS` ago on. No event is later than now. @returns the beginning */
async function spread({ id }: Company, given: readonly Pause[]): Promise<Date> {
  const events = await sql<{ id: string }>(
    'select e.id::text as id from audit_event e where e.company_id = $1 order by e.id',
    id,
  );
  const start = Date.now() - DAYS * 24 * HOUR_MS;
  let latest = start;
  const times = events.map(({ id: event }, index) => {
    const { hours = 0, earlier = 0 } = given[index % given.length] ?? {};
    latest = Math.min(Date.now(), latest + hours * HOUR_MS);
    const time = new Date(Math.max(start, latest - earlier * HOUR_MS)).toISOString();
    return `update audit_event set occurred_at = '${time}' where company_id = ${id} and id = ${event}`;
  });
  await tamper(...times, `update company set created_at = '${new Date(start).toISOString()}' where id = ${id}`);
  return new Date(start);
}

/** The last millisecond of a day in a time zone, by PostgreSQL. */
async function endOf(day: string, timeZone: string): Promise<string> {
  const [row] = await sql<{ at: string }>(
    `select to_char(((($1::date + 1)::timestamp at time zone $2) - interval '1 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
    day,
    timeZone,
  );
  return String(row?.at);
}

/** The day on which a task was closed, by the events until a time. */
async function closingDay({ id, timeZone }: Company, task: string, asOf: string): Promise<string> {
  const events = await sql<{ at: string; isStatus: boolean; isBefore: boolean }>(
    `select to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, changes ? 'status' as "isStatus",
      occurred_at <= $3::timestamptz as "isBefore"
    from audit_event where company_id = $1 and resource_type = 'task' and resource_id = $2 order by id`,
    id,
    task,
    asOf,
  );
  const until = events.slice(0, events.findLastIndex(({ isBefore }) => isBefore) + 1);
  return todayIn(timeZone, new Date(String(until.findLast(({ isStatus }) => isStatus)?.at)));
}

const existing = <Item>(items: readonly (Item | undefined)[]) => items.filter((item) => item !== undefined);

/** Counts what `asOf` shows at the end of a day. @param asOf the moment */
async function countAsOf(company: Company, day: string, asOf: string) {
  const { id, caller, ids, framework } = company;
  const session = new Session(database, operatorPrincipal(id), 'test');
  const inFramework = <Item extends { framework: number }>(item: Item) =>
    item.framework === framework ? item : undefined;
  const tasks = existing(
    await Promise.all(
      ids.task.map((taskUniqueId) => caller.task.get({ taskUniqueId, asOf }).then(inFramework, () => undefined)),
    ),
  );
  const requirements = existing(
    await Promise.all(
      ids.requirement.map((requirement) => caller.requirement.get({ requirement, asOf }).catch(() => undefined)),
    ),
  );
  const evidence = existing(
    await Promise.all(
      ids.evidence.map(async (uniqueId) => {
        const row = await session.first(evidenceStatements.getAsOf, { uniqueId, asOf });
        return row && Reflect.get(row, 'framework') === framework ? evidenceStatements.toRecord(row) : undefined;
      }),
    ),
  );
  const withStatus = (status: string) => requirements.filter((one) => one.status === status).length;
  const closed = tasks.filter(({ status }) => !isOpen(status));
  const closings = await Promise.all(
    closed.flatMap(({ uniqueId, dueDate }) =>
      dueDate === null ? [] : [closingDay(company, uniqueId, asOf).then((closedOn) => closedOn <= dueDate)],
    ),
  );
  const parentOf = ({ resource }: (typeof evidence)[number]) => resource.uniqueId;
  const isLonger = (one: string | null, other: string | null) => other !== null && (one === null || one > other);
  return {
    requirements: {
      met: withStatus('met'),
      partlyMet: withStatus('partly_met'),
      notMet: withStatus('not_met'),
      notAssessed: withStatus('not_assessed'),
      notApplicable: withStatus('not_applicable'),
    },
    tasks: {
      ...Object.fromEntries(
        TASK_STATUSES.map((status) => [status, tasks.filter((task) => task.status === status).length]),
      ),
      overdue: tasks.filter(({ status, dueDate }) => isOpen(status) && dueDate !== null && dueDate < day).length,
      closedOnTime: closings.filter((isOnTime) => isOnTime).length,
      closedLate: closings.filter((isOnTime) => !isOnTime).length,
    },
    evidence: {
      total: evidence.length,
      expiring: evidence.filter(
        (piece) =>
          piece.validUntil !== null &&
          piece.validUntil < addDays(day, 30) &&
          !evidence.some(
            (other) => parentOf(other) === parentOf(piece) && isLonger(other.validUntil, piece.validUntil),
          ),
      ).length,
      expired: evidence.filter(({ validUntil }) => validUntil !== null && validUntil < day).length,
      closedTasksWithout: closed.filter(({ uniqueId }) => !evidence.some((piece) => parentOf(piece) === uniqueId))
        .length,
    },
    statuses: new Map(requirements.map(({ uniqueId, status }) => [uniqueId, status])),
  };
}

const ORDER = ['not_met', 'not_assessed', 'partly_met', 'met'];

test(
  'a report equals counting what asOf shows, after any history, in any time zone',
  { timeout: 120_000 },
  async () => {
    const zones = constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Asia/Kathmandu');
    const property = asyncProperty(
      zones,
      array(step, { minLength: 10, maxLength: 60, size: 'max' }),
      pauses,
      array(integer({ min: 1, max: DAYS + 1 }), { minLength: 3, maxLength: 3 }),
      async (timeZone, steps, given, days) => {
        const company = await newCompany(timeZone);
        for (const one of steps) await run(company, one).catch(() => {});
        const start = await spread(company, given);
        const { caller, framework, today } = company;
        const nowCounted = await countAsOf(company, today, new Date().toISOString());
        for (const since of days.map((ago) => addDays(today, -ago))) {
          const report = await caller.framework.report({ framework, since });
          const { statuses: now, ...numbersNow } = nowCounted;
          expect(report).toMatchObject({ framework, since, now: numbersNow });
          const end = await endOf(since, timeZone);
          if (new Date(end) < start) {
            expect(report).toMatchObject({ before: null, better: [], worse: [] });
            continue;
          }
          const { statuses: then, ...numbers } = await countAsOf(company, since, end);
          expect(report.before).toEqual(numbers);
          const changes = (direction: number) =>
            company.ids.requirement.flatMap((uniqueId) => {
              const [from, to] = [then.get(uniqueId) ?? '', now.get(uniqueId) ?? ''];
              if (!ORDER.includes(from) || !ORDER.includes(to)) return [];
              const isSuch = Math.sign(ORDER.indexOf(to) - ORDER.indexOf(from)) === direction;
              return isSuch ? [{ requirement: { uniqueId }, from, to }] : [];
            });
          expect(report.better).toMatchObject(changes(1));
          expect(report.worse).toMatchObject(changes(-1));
        }
      },
    );
    await assert(property, { numRuns: 20, endOnFailure: true });
  },
);
