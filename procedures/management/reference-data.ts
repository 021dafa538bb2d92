import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { Department } from '../../entities/department.ts';
import { Framework } from '../../entities/framework.ts';
import { notFound } from '../../entities/api-error.ts';
import { isoOrNull, timestampOutput, nameInput, bodyId, noInput } from '../schemas/fields.ts';
import { adminProcedure, router } from '../core/trpc.ts';

const ReferenceOutput = z.object({ id: z.int(), name: z.string(), archivedAt: timestampOutput.nullable() });

const toReferenceOutput = ({ id, name: referenceName, archivedAt }: Framework | Department) => ({
  id,
  name: referenceName,
  archivedAt: isoOrNull(archivedAt),
});

/**
 * Finds what has this id in the session's company, locks it, lets `apply` change it, and writes that.
 * @throws Refusal `not_found`, also for an id of another company
 */
export async function updateReference<T>(
  session: Session,
  find: (em: SqlEntityManager) => Promise<T | null>,
  update: (found: T) => void,
): Promise<T> {
  return session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => {
      const found = await find(em);
      if (found === null) throw notFound('id');
      update(found);
      return found;
    }),
  );
}

/** Whoever changes a row has it to itself until that is written, so that doing a thing twice at once does it once. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/** The four commands that frameworks and departments share: named, renamed, archived, never deleted. */
const referenceDataRouter = (entity: typeof Framework | typeof Department, label: string) =>
  router({
    create: adminProcedure
      .meta({ description: `Create a ${label}` })
      .input(z.strictObject({ name: nameInput(`Name of the ${label}`) }))
      .output(ReferenceOutput)
      .mutation(({ ctx: { session }, input }) =>
        session.inUnitOfWork(async (em) => {
          const created = em.create(entity, { ...input, company: session.principal.company });
          await em.flush();
          return toReferenceOutput(created);
        }),
      ),

    list: adminProcedure
      .meta({ description: `List the ${label}s, archived ones too` })
      .input(noInput)
      .output(z.array(ReferenceOutput))
      .query(({ ctx }) =>
        ctx.session.inUnitOfWork(async (em) =>
          (await em.find(entity, {}, { orderBy: { id: 'asc' } })).map(toReferenceOutput),
        ),
      ),

    rename: adminProcedure
      .meta({ description: `Rename a ${label}` })
      .input(z.strictObject({ id: bodyId(`Id of the ${label}`), name: nameInput('New name') }))
      .output(ReferenceOutput)
      .mutation(async ({ ctx, input }) =>
        toReferenceOutput(
          await updateReference(
            ctx.session,
            (em) => em.findOne(entity, { id: input.id }, FOR_UPDATE),
            (found) => {
              found.name = input.name;
            },
          ),
        ),
      ),

    archive: adminProcedure
      .meta({ description: `Archive a ${label}: what has it keeps it, nothing new gets it` })
      .input(z.strictObject({ id: bodyId(`Id of the ${label}`) }))
      .output(ReferenceOutput)
      .mutation(async ({ ctx, input }) =>
        toReferenceOutput(
          await updateReference(
            ctx.session,
            (em) => em.findOne(entity, { id: input.id }, FOR_UPDATE),
            (found) => {
              found.archivedAt ??= new Date();
            },
          ),
        ),
      ),
  });

export const framework = referenceDataRouter(Framework, 'framework');
export const department = referenceDataRouter(Department, 'department');
