import { z } from 'zod';
import {
  ActorOutput,
  idOutput,
  integerOutput,
  listOutput,
  timestampOutput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_LISTED_CHANGES, RANKED_STATUSES } from '../../entities/requirement/report.ts';
import { requirementResource } from '../../entities/requirement/requirement.ts';
import { DepartmentOutput } from '../reference-data/schemas.ts';
import { frameworkParameter } from '../task/schemas.ts';

/** Days before today of the default of `since`. */
export const DEFAULT_REPORT_DAYS = 30;

export const ReportQuery = z.strictObject({
  ...frameworkParameter,
  since: calendarDate
    .meta({
      description: `The day with which to compare, before today; by default ${DEFAULT_REPORT_DAYS} days ago`,
      examples: ['2026-10-31'],
    })
    .optional(),
});

const count = (description: string) => integerOutput(0, MAX_ID, description);

/** Numbers of a framework at a time. */
export const ReportNumbers = z
  .object({
    requirements: z
      .object({
        met: count('Requirements that are met'),
        partlyMet: count('Requirements that are partly met'),
        notMet: count('Requirements that are not met'),
        notAssessed: count('Requirements that apply and are not assessed'),
        notApplicable: count('Requirements that do not apply'),
      })
      .meta({ description: 'Requirements of the framework by status, without headings' }),
    tasks: z
      .object({
        todo: count('Tasks with the status `todo`'),
        in_progress: count('Tasks with the status `in_progress`'),
        in_review: count('Tasks with the status `in_review`'),
        done: count('Tasks with the status `done`'),
        not_applicable: count('Tasks with the status `not_applicable`'),
        canceled: count('Tasks with the status `canceled`'),
        overdue: count('Open tasks that were due before the day'),
        closedOnTime: count('Closed tasks that were closed on a day that is not after `dueDate`'),
        closedLate: count('Closed tasks that were closed on a day after `dueDate`'),
      })
      .meta({ description: 'Tasks of the framework' }),
    evidence: z
      .object({
        total: count('Pieces of evidence'),
        expiring: count(
          'Pieces that are valid for less than 30 days, or no longer, while no other one of the same object is valid longer',
        ),
        expired: count('Pieces whose validity ended before the day'),
        closedTasksWithout: count('Closed tasks without any evidence'),
      })
      .meta({ description: 'Evidence of the tasks and requirements of the framework' }),
  })
  .meta({ id: 'FrameworkNumbers', description: 'Numbers of a framework at a time' });

const rankedStatus = z.enum(RANKED_STATUSES);
const { ref, title } = requirementResource.schemas;

const changedRequirements = (description: string) =>
  z
    .array(
      z.object({
        requirement: z
          .object({
            uniqueId: uniqueIdOutput,
            ref: ref.output,
            title: title.output,
          })
          .meta({ description: 'The requirement as it is now' }),
        from: rankedStatus.meta({ description: 'Status at the end of the day `since`' }),
        to: rankedStatus.meta({ description: 'Status now' }),
      }),
    )
    .meta({ maxItems: MAX_LISTED_CHANGES, description });

/** The state of a framework now, and at the end of a day. Contract, section 27. */
export const FrameworkReport = z
  .object({
    framework: idOutput.meta({ description: 'Id of the framework' }),
    at: timestampOutput.meta({ description: 'Time of `now`, in UTC' }),
    since: calendarDate.meta({ description: 'The day whose end is `before`', examples: ['2026-10-31'] }),
    now: ReportNumbers.meta({ description: 'At the time `at`' }),
    before: ReportNumbers.nullable().meta({
      description: 'At the end of the day `since`; null if the company did not exist yet',
    }),
    overdueBy: z
      .object({
        assignees: listOutput(
          z.object({
            assignee: ActorOutput.nullable().meta({ description: 'Null for tasks of nobody' }),
            count: count('Overdue tasks of this member'),
          }),
        ).meta({ description: 'The highest count first' }),
        departments: listOutput(
          z.object({
            department: DepartmentOutput.nullable().meta({ description: 'Null for tasks of no department' }),
            count: count('Overdue tasks of this department'),
          }),
        ).meta({ description: 'The highest count first' }),
      })
      .meta({ description: 'Who has the overdue tasks now' }),
    better: changedRequirements('Requirements whose status got better since then, in the order of lists'),
    worse: changedRequirements('Requirements whose status got worse since then, in the order of lists'),
  })
  .meta({ id: 'FrameworkReport', description: 'Where a framework stands, and what changed since a day' });
