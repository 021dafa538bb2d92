import { z } from 'zod';
import { notFound } from '../../entities/api-error.ts';
import { keysForAttention, ATTENTION_REASONS, MAX_ATTENTION_KEYS } from '../../entities/api-key/statements.ts';
import { commentResource } from '../../entities/comment/comment.ts';
import { countOpenQuestions } from '../../entities/comment/questions.ts';
import { evidenceResource } from '../../entities/evidence/evidence.ts';
import { MAX_EXPIRING_EVIDENCE, expiringEvidence } from '../../entities/evidence/statements.ts';
import { TASK_HISTORY_DAYS, taskHistory } from '../../entities/task/status-history.ts';
import { MAX_DUE_COUNT, overdueShares, tasksByFramework } from '../../entities/task/overview.ts';
import { vendorReviews, vendorsByStatus } from '../../entities/vendor/overview.ts';
import { toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { MAX_LEAKED_URL_LENGTH } from '../../entities/api-key/api-key.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { TASK_STATUSES } from '../../entities/task/task.ts';
import { VENDOR_STATUSES } from '../../entities/vendor/vendor.ts';
import {
  noInput,
  bodyId,
  timestampOutput,
  uniqueIdOutput,
  idOutput,
  integerOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { companyProcedure, managementProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { lastDayOfWeek, todayOf } from '../task/due.ts';
import { lastDayOfMonth } from '../vendor/list.ts';
import { expiringBefore } from '../parent/expiring.ts';
import { ParentOutput } from '../parent/parent.ts';

const TasksQuery = z
  .strictObject({
    today: calendarDate.meta({ description: 'Ignored: today is that of the time zone of the company' }).optional(),
  })
  .optional();

const count = (description: string) => integerOutput(0, MAX_ID, description);

/** A number that is exact up to a maximum. */
const boundedCount = (description: string) =>
  z.object({
    count: integerOutput(0, MAX_DUE_COUNT, description),
    more: z.boolean().meta({ description: 'True if there are more than `count`' }),
  });

/** Tasks of one framework. */
const FrameworkTasks = z.object({
  framework: z.object({ id: idOutput, name: textOutput(MAX_NAME_LENGTH, 'ISO 27001'), archived: z.boolean() }),
  open: count('Tasks that are not closed'),
  done: count('Tasks with the status `done`'),
  notApplicable: count('Tasks with the status `not_applicable`'),
  canceled: count('Tasks with the status `canceled`'),
  overdue: boundedCount('Open tasks that were due before today'),
  dueThisWeek: boundedCount('Open tasks that are due from today to seven days later'),
  requirements: z.object({
    applicable: count('Requirements that apply, without headings'),
    met: count('Applicable requirements that are met'),
  }),
});

const overdueTasks = {
  count: count('Open tasks that were due before today'),
  oldest: calendarDate.meta({ description: 'Due date of the oldest one' }),
};

/** Overdue tasks by person, those with the most tasks first. */
const OverdueTasks = z.object({
  total: overdueTasks.count,
  people: z.array(
    z.object({
      person: z
        .object({ uniqueId: uniqueIdOutput, name: textOutput(MAX_NAME_LENGTH, 'Ann Lee') })
        .nullable()
        .meta({ description: 'The assignee; null for nobody' }),
      ...overdueTasks,
    }),
  ),
  departments: z.array(
    z.object({
      department: z.object({ id: idOutput, name: textOutput(MAX_NAME_LENGTH, 'Finance') }).nullable(),
      ...overdueTasks,
    }),
  ),
});

const HistoryQuery = z.strictObject({ framework: bodyId('Only tasks of this framework').optional() });

const TaskHistory = z
  .array(
    z.object({
      day: textOutput(10, '2026-11-21', 'Day in UTC'),
      counts: z.record(z.enum(TASK_STATUSES), count('Tasks with this status at the end of the day')),
    }),
  )
  .meta({
    maxItems: TASK_HISTORY_DAYS,
    description: 'Days since the first known numbers, oldest first; the last is today',
  });

/** Vendors whose next review is due. */
const VendorReviews = z.object({
  overdue: boundedCount('Vendors whose next review was before today'),
  month: boundedCount('Vendors whose next review is from today to 30 days later'),
});

const VendorCounts = z.record(z.enum(VENDOR_STATUSES), count('Vendors with this status'));

/** Evidence that is expiring, with its task or vendor. */
const ExpiringEvidence = z.object({
  total: count('Pieces of evidence that are expiring'),
  items: z
    .array(
      z.object({
        uniqueId: uniqueIdOutput,
        name: textOutput(MAX_NAME_LENGTH, 'Access review'),
        validUntil: calendarDate,
        resource: ParentOutput.extend({ title: textOutput(MAX_NAME_LENGTH, 'Review access rights') }),
      }),
    )
    .meta({ maxItems: MAX_EXPIRING_EVIDENCE, description: 'Those that end first' }),
});

const OpenQuestions = z.object({ open: boundedCount('Questions that are not resolved') });

/** An API key that needs attention. */
const KeyForAttention = z.object({
  uniqueId: uniqueIdOutput,
  name: textOutput(MAX_NAME_LENGTH, 'Ticket sync'),
  start: textOutput(16, 'svc_sk_live_7Hq2'),
  last4: textOutput(4, '3kZd'),
  reason: z.enum(ATTENTION_REASONS),
  enabled: z.boolean(),
  expiresAt: timestampOutput.nullable(),
  leakedAt: timestampOutput.nullable(),
  leakedUrl: z.string().nullable().meta({ maxLength: MAX_LEAKED_URL_LENGTH }),
  lastUsedAt: timestampOutput.nullable(),
});

const KeysForAttention = z.array(KeyForAttention).meta({ maxItems: MAX_ATTENTION_KEYS });

const toBoundedCount = (counted: number) => ({
  count: Math.min(counted, MAX_DUE_COUNT),
  more: counted > MAX_DUE_COUNT,
});

/** Numbers of the company for its first page. All but those of overdue work take the same time for any number of tasks. */
export const overview = router({
  tasks: companyProcedure('task:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `task_list` counts tasks.' } })
    .input(TasksQuery)
    .output(z.array(FrameworkTasks))
    .query(async ({ ctx }) => {
      const today = await todayOf(ctx.session);
      const rows = await ctx.session.run(tasksByFramework, { today, lastDay: lastDayOfWeek(today) });
      return rows.map(({ id, name, archived, open, done, notApplicable, canceled, ...row }) => ({
        framework: { id, name, archived },
        open,
        done,
        notApplicable,
        canceled,
        overdue: toBoundedCount(row.overdue),
        dueThisWeek: toBoundedCount(row.due_soon),
        requirements: { applicable: row.applicable, met: row.met },
      }));
    }),

  overdueTasks: companyProcedure('task:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `task_listAll` lists overdue tasks.' } })
    .input(noInput)
    .output(OverdueTasks)
    .query(async ({ ctx }) => {
      const shares = await ctx.session.run(overdueShares, { today: await todayOf(ctx.session) });
      const people = shares.filter(({ by }) => by === 'person');
      return {
        total: people.reduce((sum, { count: ofPerson }) => sum + ofPerson, 0),
        people: people.map(({ id, name, count: ofPerson, oldest }) => ({
          person: id === null || name === null ? null : { uniqueId: id, name },
          count: ofPerson,
          oldest,
        })),
        departments: shares
          .filter(({ by }) => by === 'department')
          .map(({ id, name, count: ofDepartment, oldest }) => ({
            department: id === null || name === null ? null : { id: Number(id), name },
            count: ofDepartment,
            oldest,
          })),
      };
    }),

  taskHistory: companyProcedure('task:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `task_history` reads changes.' } })
    .input(HistoryQuery.optional())
    .output(TaskHistory)
    .query(async ({ ctx, input: { framework = null } = {} }) => {
      const days = await ctx.session.run(taskHistory, { framework });
      if (framework !== null && days.length === 0) throw notFound('framework');
      return days.map(({ day, ...counts }) => ({ day, counts }));
    }),

  vendors: companyProcedure('vendor:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `vendor_page` counts vendors.' } })
    .input(noInput)
    .output(VendorCounts)
    .query(async ({ ctx }) => {
      const counts = { active: 0, inactive: 0, archived: 0 };
      for (const { status, count: total } of await ctx.session.run(vendorsByStatus, {})) counts[status] = total;
      return counts;
    }),

  vendorReviews: companyProcedure('vendor:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `vendor_page` counts vendors.' } })
    .input(noInput)
    .output(VendorReviews)
    .query(async ({ ctx }) => {
      const today = await todayOf(ctx.session);
      const { overdue, month } = await ctx.session.one(vendorReviews, { today, lastDay: lastDayOfMonth(today) });
      return { overdue: toBoundedCount(overdue), month: toBoundedCount(month) };
    }),

  evidence: resourceProcedure(evidenceResource, 'read')
    .meta({
      mcp: { exclude: 'It belongs to the application, not to the API; `evidence_listAll` lists the same evidence.' },
    })
    .input(noInput)
    .output(ExpiringEvidence)
    .query(async ({ ctx }) => {
      const rows = await ctx.session.run(expiringEvidence, { before: await expiringBefore(ctx.session) });
      return {
        total: rows[0]?.total ?? 0,
        items: rows.map(({ uniqueId, name, validUntil, type, parent, title }) => ({
          uniqueId,
          name,
          validUntil,
          resource: { type, uniqueId: parent, title },
        })),
      };
    }),

  questions: resourceProcedure(commentResource, 'read')
    .meta({
      mcp: { exclude: 'It belongs to the application, not to the API; `comment_listAll` lists open questions.' },
    })
    .input(noInput)
    .output(OpenQuestions)
    .query(async ({ ctx }) => ({ open: toBoundedCount((await ctx.session.one(countOpenQuestions, {})).open) })),

  apiKeys: managementProcedure('management:read')
    .meta({ description: 'List the API keys that expire, have expired or were leaked, within 30 days' })
    .input(noInput)
    .output(KeysForAttention)
    .query(async ({ ctx }) => {
      const rows = await ctx.session.run(keysForAttention, {});
      return rows.map((row) =>
        Object.assign(row, {
          expiresAt: toIsoOrNull(row.expiresAt),
          leakedAt: toIsoOrNull(row.leakedAt),
          lastUsedAt: toIsoOrNull(row.lastUsedAt),
        }),
      );
    }),
});
