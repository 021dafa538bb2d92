import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { bodyId, isoOrNull, nameInput, noInput, timestampOutput } from '../../entities/fields/schemas.ts';
import { Framework } from '../../entities/reference-data/framework.ts';
import { Gap, gapResource } from '../../entities/reference-data/gap.ts';
import { isId } from '../../entities/ids.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { FOR_UPDATE, accessibleFrameworks, updateReference } from './reference-data.ts';

const GapOutput = z.object({
  id: z.int(),
  framework: z.int(),
  title: z.string(),
  archivedAt: timestampOutput.nullable(),
});

const toGapOutput = ({ id, framework, title, archivedAt }: Gap) => ({
  id,
  framework: framework.id,
  title,
  archivedAt: isoOrNull(archivedAt),
});

const update = async (session: Session, id: number, change: (row: Gap) => unknown) =>
  toGapOutput(await updateReference(session, (em) => em.findOne(Gap, { id }, FOR_UPDATE), change));

/** Gaps. Each gap belongs to one framework. See docs/contract.md, section 7. */
export const gap = router({
  create: managementProcedure('management:write')
    .meta({ description: 'Create a gap in a framework' })
    .input(z.strictObject({ framework: bodyId('Id of the framework'), title: gapResource.schemas.title.input }))
    .output(GapOutput)
    .mutation(({ ctx: { session }, input: { framework: id, title } }) =>
      session.inUnitOfWork(async (em) => {
        const framework = isId(id) ? await em.findOne(Framework, { id }) : null;
        if (framework === null) throw notFound('framework');
        if (framework.archivedAt) throw new ApiError('unprocessable', 'framework: is archived');
        const created = em.create(Gap, { company: session.principal.company, framework, title });
        await em.flush();
        return toGapOutput(created);
      }),
    ),

  list: managementProcedure('reference-data:read')
    .meta({ description: 'List the gaps, including archived gaps' })
    .input(noInput)
    .output(z.array(GapOutput))
    .query(({ ctx }) =>
      ctx.session.inUnitOfWork(async (em) => {
        const framework = accessibleFrameworks(ctx.session.principal);
        return (await em.find(Gap, framework === undefined ? {} : { framework }, { orderBy: { id: 'asc' } })).map(
          toGapOutput,
        );
      }),
    ),

  rename: managementProcedure('management:write')
    .meta({ description: 'Change the title of a gap' })
    .input(z.strictObject({ id: bodyId('Id of the gap'), title: nameInput('New title') }))
    .output(GapOutput)
    .mutation(({ ctx, input: { id, title } }) => update(ctx.session, id, (row) => (row.title = title))),

  archive: managementProcedure('management:write')
    .meta({ description: 'Archive a gap: tasks with the gap keep it, and it cannot be added to other tasks' })
    .input(z.strictObject({ id: bodyId('Id of the gap') }))
    .output(GapOutput)
    .mutation(({ ctx, input: { id } }) => update(ctx.session, id, (row) => (row.archivedAt ??= new Date()))),
});
