import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { EXPIRING_DAYS } from '../../entities/evidence/evidence.ts';
import {
  countEvidence,
  countRequirements,
  countTasks,
  overdueByAssignee,
  overdueByDepartment,
} from '../../entities/requirement/report.ts';
import { todayIn } from '../schemas/time-zone.ts';
import { addDays } from '../task/due.ts';
import { requireExistingFramework } from '../task/write.ts';
import { DEFAULT_REPORT_DAYS } from './report-schemas.ts';
import type { FrameworkReport, ReportQuery } from './report-schemas.ts';

/** The report of a framework. @throws ApiError 404 for an unknown framework, 422 for a day that is not before today */
export async function readReport(
  session: Session,
  { framework, since: given }: z.infer<typeof ReportQuery>,
): Promise<z.infer<typeof FrameworkReport>> {
  await requireExistingFramework(session, framework);
  const { timeZone } = await session.one(ownCompany, {});
  const at = session.now;
  const today = todayIn(timeZone, at);
  const since = given ?? addDays(today, -DEFAULT_REPORT_DAYS);
  if (since >= today) throw new ApiError('unprocessable', 'since: expected a day before today');
  const expiresBefore = addDays(today, EXPIRING_DAYS);
  const { closedWithoutEvidence, ...tasks } = await session.one(countTasks, { framework, today, timeZone });
  const evidence = await session.one(countEvidence, { framework, today, expiresBefore });
  return {
    framework,
    at: at.toISOString(),
    since,
    now: {
      requirements: await session.one(countRequirements, { framework }),
      tasks,
      evidence: { ...evidence, closedTasksWithout: closedWithoutEvidence },
    },
    before: null,
    overdueBy: {
      assignees: await session.run(overdueByAssignee, { framework, today }),
      departments: await session.run(overdueByDepartment, { framework, today }),
    },
    better: [],
    worse: [],
  };
}
