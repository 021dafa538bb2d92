import type { z } from 'zod';
import { EXPIRING_DAYS } from '../../entities/evidence/evidence.ts';
import { RANKED_STATUSES } from '../../entities/requirement/report.ts';
import type { ReportedEvidence, ReportedRequirement, ReportedTask } from '../../entities/requirement/report.ts';
import { requirementStatus } from '../../entities/requirement/requirement.ts';
import type { RequirementStatus } from '../../entities/requirement/requirement.ts';
import { isOpen } from '../../entities/task/task.ts';
import { addDays } from '../task/due.ts';
import type { ReportNumbers } from './report-schemas.ts';

/** The objects of a framework at a time. */
export interface FrameworkState {
  tasks: readonly ReportedTask[];
  /** The days on which tasks were closed, by uniqueId: at least of those that are closed and have a due date. */
  closedOn: ReadonlyMap<string, string>;
  requirements: readonly ReportedRequirement[];
  evidence: readonly ReportedEvidence[];
}

type Numbers = z.infer<typeof ReportNumbers>;

/** The numbers of a framework. @param day in the time zone of the company */
export function countState({ tasks, closedOn, requirements, evidence }: FrameworkState, day: string): Numbers {
  const withEvidence = new Set(evidence.map(({ parent }) => parent));
  const closedWithout = tasks.filter(({ uniqueId, status }) => !isOpen(status) && !withEvidence.has(uniqueId));
  return {
    requirements: countRequirements(requirements),
    tasks: countTasks(tasks, closedOn, day),
    evidence: { ...countEvidence(evidence, day), closedTasksWithout: closedWithout.length },
  };
}

function countRequirements(requirements: readonly ReportedRequirement[]): Numbers['requirements'] {
  const counts: Record<RequirementStatus, number> = {
    met: 0,
    partly_met: 0,
    not_met: 0,
    not_assessed: 0,
    not_applicable: 0,
  };
  for (const requirement of requirements) {
    const status = requirementStatus(requirement);
    if (status !== null) counts[status] += 1;
  }
  const { met, partly_met: partlyMet, not_met: notMet, not_assessed: notAssessed } = counts;
  return { met, partlyMet, notMet, notAssessed, notApplicable: counts.not_applicable };
}

// Dates of the form YYYY-MM-DD are in the order of their text.

function countTasks(
  tasks: readonly ReportedTask[],
  closedOn: FrameworkState['closedOn'],
  day: string,
): Numbers['tasks'] {
  const byStatus = { todo: 0, in_progress: 0, in_review: 0, done: 0, not_applicable: 0, canceled: 0 };
  let [overdue, closedOnTime, closedLate] = [0, 0, 0];
  for (const { uniqueId, status, dueDate } of tasks) {
    byStatus[status] += 1;
    if (dueDate === null) continue;
    const closingDay = closedOn.get(uniqueId);
    if (isOpen(status)) overdue += Number(dueDate < day);
    else if (closingDay !== undefined && closingDay <= dueDate) closedOnTime += 1;
    else if (closingDay !== undefined) closedLate += 1;
  }
  return { ...byStatus, overdue, closedOnTime, closedLate };
}

function countEvidence(evidence: readonly ReportedEvidence[], day: string) {
  const expiresBefore = addDays(day, EXPIRING_DAYS);
  /** Last day of the longest validity, by the parent of the evidence; null without an end. */
  const longest = new Map<string, string | null>();
  for (const { parent, validUntil } of evidence) {
    const other = longest.get(parent);
    if (other === undefined || (other !== null && (validUntil === null || validUntil > other)))
      longest.set(parent, validUntil);
  }
  const isExpiring = ({ parent, validUntil }: ReportedEvidence) =>
    validUntil !== null && validUntil < expiresBefore && longest.get(parent) === validUntil;
  return {
    total: evidence.length,
    expiring: evidence.filter(isExpiring).length,
    expired: evidence.filter(({ validUntil }) => validUntil !== null && validUntil < day).length,
  };
}

type RankedStatus = (typeof RANKED_STATUSES)[number];

const rankedStatus = (requirement: ReportedRequirement | undefined): RankedStatus | undefined => {
  const status = requirement && requirementStatus(requirement);
  return RANKED_STATUSES.find((one) => one === status);
};

/** A requirement whose status got better or worse. */
export interface RequirementChange<Requirement> {
  requirement: Requirement;
  from: RankedStatus;
  to: RankedStatus;
}

/** The requirements that got better and those that got worse, each in the order of the given ones. */
export function compareRequirements<Requirement extends ReportedRequirement>(
  now: readonly Requirement[],
  before: readonly ReportedRequirement[],
) {
  const then = new Map(before.map((requirement) => [requirement.uniqueId, requirement]));
  const better: RequirementChange<Requirement>[] = [];
  const worse: RequirementChange<Requirement>[] = [];
  for (const requirement of now) {
    const from = rankedStatus(then.get(requirement.uniqueId));
    const to = rankedStatus(requirement);
    if (from === undefined || to === undefined || from === to) continue;
    const changes = RANKED_STATUSES.indexOf(to) > RANKED_STATUSES.indexOf(from) ? better : worse;
    changes.push({ requirement, from, to });
  }
  return { better, worse };
}
