import { notFound } from '../../entities/api-error.ts';
import { isId } from '../../entities/ids.ts';
import { listDepartments, listFrameworks, listGaps } from '../../entities/reference-data/statements.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { noInput } from '../schemas/fields.ts';
import { listOutput } from '../schemas/output.ts';
import { openapi } from './openapi.ts';
import { DepartmentOutput, FrameworkOutput, GapOutput, GapQuery } from './schemas.ts';

/** The frameworks that a key may access. Contract, section 9. */
export const framework = router({
  list: companyProcedure('task:read')
    .meta({ openapi: { method: 'GET', path: '/external/framework/list', ...openapi.frameworks } })
    .input(noInput)
    .output(listOutput(FrameworkOutput))
    .query(({ ctx }) => ctx.session.run(listFrameworks, {})),
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
