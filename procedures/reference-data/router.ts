import { z } from 'zod';
import { notFound } from '../../entities/api-error.ts';
import { idOutput, listOutput, noInput, pathId } from '../../entities/fields/schemas.ts';
import { isId } from '../../entities/ids.ts';
import { gapResource } from '../../entities/reference-data/gap.ts';
import { departmentResource, frameworkResource } from '../../entities/reference-data/reference-data.ts';
import { listDepartments, listFrameworks, listGaps } from '../../entities/reference-data/statements.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';

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

const archived = z
  .boolean()
  .meta({ description: 'Archived reference data cannot be given to tasks', examples: [false] });
const named = ({ schemas: { name } }: typeof frameworkResource | typeof departmentResource) =>
  z.object({ id: idOutput, name: name.output, archived });

const FrameworkOutput = named(frameworkResource)
  .extend({
    owner: frameworkResource.schemas.owner.shown.meta({ examples: [null] }),
    auditDate: frameworkResource.schemas.auditDate.output.meta({ examples: [null] }),
  })
  .meta({
    id: 'Framework',
    description: 'A standard or a law that the company follows',
  });
const DepartmentOutput = named(departmentResource).meta({
  id: 'Department',
  description: 'A part of the company that does tasks',
});
const GapOutput = z
  .object({
    id: idOutput,
    title: gapResource.schemas.title.output,
    archived,
    requirement: gapResource.schemas.requirement.output.meta({ examples: [null] }),
    status: gapResource.schemas.status.output,
    owner: gapResource.schemas.owner.shown.meta({ examples: [null] }),
    dueDate: gapResource.schemas.dueDate.output.meta({ examples: [null] }),
  })
  .meta({ id: 'Gap', description: 'What a framework demands and the company lacks' });
const GapQuery = z.strictObject({ framework: pathId('Framework of the gaps') });

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
