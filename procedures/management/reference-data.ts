import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { bodyId, isoOrNull, nameInput, noInput, timestampOutput } from '../../entities/fields/schemas.ts';
import { Department, departmentResource } from '../../entities/reference-data/department.ts';
import { Framework, frameworkResource } from '../../entities/reference-data/framework.ts';
import type { Principal } from '../../entities/principal.ts';
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
export async function updateReference<T>(
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
export const accessibleFrameworks = ({ frameworks }: Principal) =>
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
