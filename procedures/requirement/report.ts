import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import {
  MAX_LISTED_CHANGES,
  companyOfReport,
  findClosings,
  listReportedRequirements,
  overdueByAssignee,
  overdueByDepartment,
  pageEvidence,
  pageTasks,
} from '../../entities/requirement/report.ts';
import type { ListedRequirement, ReportedEvidence, ReportedTask } from '../../entities/requirement/report.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { isOpen } from '../../entities/task/task.ts';
import { readPages } from '../core/read-pages.ts';
import { startOfDay, todayIn } from '../schemas/time-zone.ts';
import { addDays } from '../task/due.ts';
import { requireExistingFramework } from '../task/write.ts';
import { compareRequirements, countState } from './report-numbers.ts';
import type { FrameworkState, RequirementChange } from './report-numbers.ts';
import { Past, evidenceConversion, requirementConversion, taskConversion } from './report-past.ts';
import { DEFAULT_REPORT_DAYS } from './report-schemas.ts';
import type { FrameworkReport, ReportQuery } from './report-schemas.ts';

/** Rows that one statement reads. */
const PAGE_SIZE = 2000;
/** Tasks whose closing one statement looks up, from the events of each. */
const MAX_CLOSINGS = 200;
/** Greater than the id of any event. */
const MAX_EVENT_ID = Number.MAX_SAFE_INTEGER;

/** The report of a framework. @throws ApiError 404 for an unknown framework, 422 for a day that is not before today */
export async function readReport(
  request: Session,
  { framework, since: given }: z.infer<typeof ReportQuery>,
): Promise<z.infer<typeof FrameworkReport>> {
  // It has many statements, each of which is short.
  const session = request.withoutDeadline();
  await requireExistingFramework(session, framework);
  const { timeZone, createdAt } = await session.one(companyOfReport, {});
  const at = session.now;
  const today = todayIn(timeZone, at);
  const since = given ?? addDays(today, -DEFAULT_REPORT_DAYS);
  if (since >= today) throw new ApiError('unprocessable', 'since: expected a day before today');
  const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone });
  const now = await readState(session, framework, dayOf);
  const end = startOfDay(addDays(since, 1), timeZone);
  const before =
    new Date(toIso(createdAt)) < end ? await readPastState(session, { framework, time: end, now, dayOf }) : null;
  const { better, worse } = compareRequirements(now.requirements, before?.requirements ?? []);
  return {
    framework,
    at: at.toISOString(),
    since,
    now: countState(now, today),
    before: before && countState(before, since),
    overdueBy: {
      assignees: await session.run(overdueByAssignee, { framework, today }),
      departments: await session.run(overdueByDepartment, { framework, today }),
    },
    better: better.slice(0, MAX_LISTED_CHANGES).map(toListedChange),
    worse: worse.slice(0, MAX_LISTED_CHANGES).map(toListedChange),
  };
}

const toListedChange = ({ requirement: { uniqueId, ref, title }, from, to }: RequirementChange<ListedRequirement>) => ({
  requirement: { uniqueId, ref, title },
  from,
  to,
});

/** Writes the day of a time in the time zone of the company. */
type DayFormat = Pick<Intl.DateTimeFormat, 'format'>;

/**
 * The days on which tasks were closed, of those that are closed and have a due date. No task goes from one closed status to another, so
 * the last change of its status closed it.
 * @param endOf id of the event before which a task was closed
 */
async function findClosingDays(
  session: Session,
  tasks: readonly ReportedTask[],
  dayOf: DayFormat,
  endOf: (task: ReportedTask) => number = () => MAX_EVENT_ID,
): Promise<Map<string, string>> {
  const closed = tasks.filter(({ status, dueDate }) => !isOpen(status) && dueDate !== null);
  const closedOn = new Map<string, string>();
  for (let first = 0; first < closed.length; first += MAX_CLOSINGS) {
    const page = closed.slice(first, first + MAX_CLOSINGS);
    const ends = { tasks: page.map(({ uniqueId }) => uniqueId), beforeEvents: page.map(endOf) };
    for (const { uniqueId, closedAt } of await session.run(findClosings, ends))
      closedOn.set(uniqueId, dayOf.format(new Date(toIso(closedAt))));
    await nextTurn();
  }
  return closedOn;
}

interface PresentState extends FrameworkState {
  requirements: readonly ListedRequirement[];
}

const idOf = ({ uniqueId }: { uniqueId: string }) => uniqueId;

/** The objects that a framework has now. */
async function readState(session: Session, framework: number, dayOf: DayFormat): Promise<PresentState> {
  const tasks: ReportedTask[] = [];
  const readTasks = (afterId: string, limit: number) => session.run(pageTasks, { framework, afterId, limit });
  for await (const page of readPages(readTasks, FIRST_ID, idOf, PAGE_SIZE)) tasks.push(...page);
  const evidence: ReportedEvidence[] = [];
  const readEvidence = (afterId: string, limit: number) => session.run(pageEvidence, { afterId, limit });
  for await (const page of readPages(readEvidence, FIRST_ID, idOf, PAGE_SIZE))
    evidence.push(...page.filter((piece) => piece.framework === framework));
  return {
    tasks,
    closedOn: await findClosingDays(session, tasks, dayOf),
    evidence,
    requirements: await session.run(listReportedRequirements, { framework }),
  };
}

/** The objects that a framework had at a time in the past, as `asOf` would show each of them. @param now read before */
async function readPastState(
  session: Session,
  { framework, time, now, dayOf }: { framework: number; time: Date; now: PresentState; dayOf: DayFormat },
): Promise<FrameworkState> {
  const past = await Past.read(session, framework, time);
  const tasks = past.objectsOf('task', now.tasks, taskConversion);
  // A task whose status has not changed since then was closed as it is now.
  const isKnown = ({ uniqueId }: ReportedTask) => now.closedOn.has(uniqueId) && !past.hasChanged(uniqueId, 'status');
  const others = tasks.filter((task) => !isKnown(task));
  const endOf = ({ uniqueId }: ReportedTask) => past.eventsOf(uniqueId)[0]?.id ?? MAX_EVENT_ID;
  return {
    tasks,
    closedOn: new Map([...now.closedOn, ...(await findClosingDays(session, others, dayOf, endOf))]),
    requirements: past.objectsOf('requirement', now.requirements, requirementConversion),
    evidence: past.objectsOf('evidence', now.evidence, evidenceConversion),
  };
}
