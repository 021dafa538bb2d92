import { z } from 'zod';
import { notFound } from '../../entities/api-error.ts';
import { keysForAttention } from '../../entities/api-key/overview.ts';
import { evidenceResource } from '../../entities/evidence/evidence.ts';
import { expiringEvidence } from '../../entities/evidence/overview.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { taskHistory } from '../../entities/task/status-history.ts';
import { MAX_DUE_COUNT, tasksByFramework } from '../../entities/task/overview.ts';
import { vendorReviews, vendorsByStatus } from '../../entities/vendor/overview.ts';
import { toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { companyProcedure, managementProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { lastDayOfWeek, todayOf } from '../task/due.ts';
import { lastDayOfMonth } from '../vendor/due.ts';
import { expiringBefore } from '../parent/expiring.ts';
import {
  ExpiringEvidence,
  FrameworkTasks,
  HistoryQuery,
  KeysForAttention,
  TaskHistory,
  TasksQuery,
  VendorCounts,
  VendorReviews,
} from './schemas.ts';

const boundedCount = (counted: number) => ({
  count: Math.min(counted, MAX_DUE_COUNT),
  more: counted > MAX_DUE_COUNT,
});

/** Numbers of the company for its first page. They take the same time for any number of tasks. */
export const overview = router({
  tasks: companyProcedure('task:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `task_list` counts tasks.' } })
    .input(TasksQuery)
    .output(z.array(FrameworkTasks))
    .query(async ({ ctx }) => {
      const today = await todayOf(ctx.session);
      const rows = await ctx.session.run(tasksByFramework, { today, lastDay: lastDayOfWeek(today) });
      return rows.map(({ id, name, archived, open, done, notApplicable, canceled, overdue, due_soon: dueSoon }) => ({
        framework: { id, name, archived },
        open,
        done,
        notApplicable,
        canceled,
        overdue: boundedCount(overdue),
        dueThisWeek: boundedCount(dueSoon),
      }));
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
      for (const { status, count } of await ctx.session.run(vendorsByStatus, {})) counts[status] = count;
      return counts;
    }),

  vendorReviews: companyProcedure('vendor:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `vendor_page` counts vendors.' } })
    .input(noInput)
    .output(VendorReviews)
    .query(async ({ ctx }) => {
      const today = await todayOf(ctx.session);
      const { overdue, month } = await ctx.session.one(vendorReviews, { today, lastDay: lastDayOfMonth(today) });
      return { overdue: boundedCount(overdue), month: boundedCount(month) };
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
