import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound, ApiError } from '../../entities/api-error.ts';
import {
  Department,
  Framework,
  Gap,
  departmentResource,
  frameworkResource,
  gapResource,
} from '../../entities/reference-data/reference-data.ts';
import type { Principal } from '../../entities/principal.ts';
import { isId } from '../../entities/ids.ts';
import { timestampOutput, isoOrNull, noInput, bodyId, nameInput } from '../../entities/fields/schemas.ts';
import { managementProcedure, router } from '../core/trpc.ts';

const ReferenceOutput = z.object({ id: z.int(), name: z.string(), archivedAt: timestampOutput.nullable() });

const toReferenceOutput = (row: Framework | Department) => ({
  id: row.id,
  name: row.name,
  archivedAt: isoOrNull(row.archivedAt),
});

/**
 * Updates a row of the company in a transaction.
 * @param find loads and locks the row, for example with `FOR_UPDATE`
 * @throws ApiError `not_found`, also for an id of another company
 */
async function updateReference<T>(
  session: Session,
  find: (em: SqlEntityManager) => Promise<T | null>,
  update: (row: T) => unknown,
): Promise<T> {
  return session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => {
      const row = await find(em);
      if (row === null) throw notFound('id');
      update(row);
      return row;
    }),
  );
}

/** Filter by id for the frameworks that the principal may access; undefined for all. */
const accessibleFrameworks = ({ frameworks }: Principal) =>
  frameworks === null ? undefined : { id: { $in: [...frameworks] } };

/** Locks the row until the transaction ends, so that concurrent identical changes write one audit event. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/** The four procedures that frameworks and departments share. Reference data is archived, never deleted. */
function referenceDataRouter(
  entity: typeof Framework | typeof Department,
  { type: label, schemas }: typeof frameworkResource | typeof departmentResource,
) {
  const update = async (session: Session, id: number, change: (row: Framework | Department) => unknown) =>
    toReferenceOutput(await updateReference(session, (em) => em.findOne(entity, { id }, FOR_UPDATE), change));

  return router({
    create: managementProcedure('management:write')
      .meta({ description: `Create a ${label}` })
      .input(z.strictObject({ name: schemas.name.input }))
      .output(ReferenceOutput)
      .mutation(({ ctx: { session }, input }) =>
        session.inUnitOfWork(async (em) => {
          const created = em.create(entity, { ...input, company: session.principal.company });
          await em.flush();
          return toReferenceOutput(created);
        }),
      ),

    list: managementProcedure('reference-data:read')
      .meta({ description: `List the ${label}s, including archived ${label}s` })
      .input(noInput)
      .output(z.array(ReferenceOutput))
      .query(({ ctx }) =>
        ctx.session.inUnitOfWork(async (em) => {
          const where = (entity === Framework && accessibleFrameworks(ctx.session.principal)) || {};
          return (await em.find(entity, where, { orderBy: { id: 'asc' } })).map(toReferenceOutput);
        }),
      ),

    rename: managementProcedure('management:write')
      .meta({ description: `Rename a ${label}` })
      .input(z.strictObject({ id: bodyId(`Id of the ${label}`), name: nameInput('New name') }))
      .output(ReferenceOutput)
      .mutation(({ ctx, input: { id, name } }) => update(ctx.session, id, (row) => (row.name = name))),

    archive: managementProcedure('management:write')
      .meta({ description: `Archive a ${label}: existing references stay, and new references are rejected` })
      .input(z.strictObject({ id: bodyId(`Id of the ${label}`) }))
      .output(ReferenceOutput)
      .mutation(({ ctx, input: { id } }) => update(ctx.session, id, (row) => (row.archivedAt ??= new Date()))),
  });
}

export const framework = referenceDataRouter(Framework, frameworkResource);
export const department = referenceDataRouter(Department, departmentResource);

const GapOutput = z.object({
  id: z.int(),
  framework: z.int(),
  title: z.string(),
  archivedAt: timestampOutput.nullable(),
});

const toGapOutput = (row: Gap) => ({
  id: row.id,
  framework: row.framework.id,
  title: row.title,
  archivedAt: isoOrNull(row.archivedAt),
});

const updateGap = async (session: Session, id: number, change: (row: Gap) => unknown) =>
  toGapOutput(await updateReference(session, (em) => em.findOne(Gap, { id }, FOR_UPDATE), change));

/** Gaps. Each gap belongs to one framework. See docs/contract.md, section 7. */
export const gap = router({
  create: managementProcedure('management:write')
    .meta({ description: 'Create a gap in a framework' })
    .input(z.strictObject({ framework: bodyId('Id of the framework'), title: gapResource.schemas.title.input }))
    .output(GapOutput)
    .mutation(({ ctx: { session }, input: { framework: id, title } }) =>
      session.inUnitOfWork(async (em) => {
        const parent = isId(id) ? await em.findOne(Framework, { id }) : null;
        if (parent === null) throw notFound('framework');
        if (parent.archivedAt) throw new ApiError('unprocessable', 'framework: is archived');
        const created = em.create(Gap, { company: session.principal.company, framework: parent, title });
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
        const accessible = accessibleFrameworks(ctx.session.principal);
        const where = accessible === undefined ? {} : { framework: accessible };
        return (await em.find(Gap, where, { orderBy: { id: 'asc' } })).map(toGapOutput);
      }),
    ),

  rename: managementProcedure('management:write')
    .meta({ description: 'Change the title of a gap' })
    .input(z.strictObject({ id: bodyId('Id of the gap'), title: nameInput('New title') }))
    .output(GapOutput)
    .mutation(({ ctx, input: { id, title } }) => updateGap(ctx.session, id, (row) => (row.title = title))),

  archive: managementProcedure('management:write')
    .meta({ description: 'Archive a gap: tasks with the gap keep it, and it cannot be added to other tasks' })
    .input(z.strictObject({ id: bodyId('Id of the gap') }))
    .output(GapOutput)
    .mutation(({ ctx, input: { id } }) => updateGap(ctx.session, id, (row) => (row.archivedAt ??= new Date()))),
});
