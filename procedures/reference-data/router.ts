import { z } from 'zod';
import { notFound } from '../../entities/api-error.ts';
import { listOutput, noInput, pathId } from '../../entities/fields/schemas.ts';
import { isId } from '../../entities/ids.ts';
import { listDepartments, listFrameworks, listGaps } from '../../entities/reference-data/statements.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { readReport } from '../requirement/report.ts';
import { FrameworkReport, ReportQuery } from '../requirement/report-schemas.ts';
import { openapi as requirementTexts } from '../requirement/openapi.ts';
import { DepartmentOutput, FrameworkOutput, GapOutput } from './schemas.ts';

const text = operationTexts('Reference data');

const openapi = {
  frameworks: text(
    'listFrameworks',
    'List the frameworks, by id',
    'Includes archived frameworks. A key that is limited to frameworks sees only these.',
  ),
  gaps: text(
    'listGaps',
    'List the gaps of a framework, by id',
    'Includes archived gaps. The framework may be archived.',
  ),
  departments: text('listDepartments', 'List the departments, by id', 'Includes archived departments.'),
};

const GapQuery = z.strictObject({ framework: pathId('Framework of the gaps') });

/** The frameworks that a key may access. Contract, section 9. */
export const framework = router({
  list: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: '/external/framework/list', ...openapi.frameworks } })
    .input(noInput)
    .output(listOutput(FrameworkOutput))
    .query(({ ctx }) => ctx.session.run(listFrameworks, {})),

  report: companyProcedure('task:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/framework/{framework}/report',
        ...requirementTexts.report,
        errorResponses: [422],
      },
    })
    .input(ReportQuery)
    .output(FrameworkReport)
    .query(({ ctx, input }) => readReport(ctx.session, input)),
});

/** The gaps of a framework. Contract, section 9. */
export const gap = router({
  list: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: '/external/framework/{framework}/gap/list', ...openapi.gaps } })
    .input(GapQuery)
    .output(listOutput(GapOutput))
    .query(async ({ ctx, input: { framework: id } }) => {
      const rows = isId(id) ? await ctx.session.run(listGaps, { framework: id }) : [];
      if (rows.length === 0) throw notFound('framework');
      return rows.filter((row) => row.id !== null);
    }),
});

/** The departments of the company. Contract, section 9. */
export const department = router({
  list: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: '/external/department/list', ...openapi.departments } })
    .input(noInput)
    .output(listOutput(DepartmentOutput))
    .query(({ ctx }) => ctx.session.run(listDepartments, {})),
});
