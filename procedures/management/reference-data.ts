import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../entities/database/session.ts';
import { Department } from '../../entities/department.ts';
import { Framework } from '../../entities/framework.ts';
import { notFound } from '../../entities/refusal.ts';
import { isoOrNull, moment, name, bodyId, nothing } from '../shapes.ts';
import { adminProcedure, router } from '../trpc.ts';

const Reference = z.object({ id: z.int(), name: z.string(), archivedAt: moment.nullable() });

const toReference = ({ id, name: called, archivedAt }: Framework | Department) => ({
  id,
  name: called,
  archivedAt: isoOrNull(archivedAt),
});

/**
 * Finds what has this id in the session's company, locks it, lets `apply` change it, and writes that.
 * @throws Refusal `not_found`, also for an id of another company
 */
export async function changeReference<T>(
  session: Session,
  find: (em: SqlEntityManager) => Promise<T | null>,
  apply: (found: T) => void,
): Promise<T> {
  return session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => {
      const found = await find(em);
      if (found === null) throw notFound('id');
      apply(found);
      return found;
    }),
  );
}

/** Whoever changes a row has it to itself until that is written, so that doing a thing twice at once does it once. */
export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/** The four commands that frameworks and departments share: named, renamed, archived, never deleted. */
const referenceData = (kind: typeof Framework | typeof Department, type: string) =>
  router({
    create: adminProcedure
      .meta({ description: `Create a ${type}` })
      .input(z.strictObject({ name: name(`Name of the ${type}`) }))
      .output(Reference)
      .mutation(({ ctx: { session }, input }) =>
        session.inUnitOfWork(async (em) => {
          const created = em.create(kind, { ...input, company: session.principal.company });
          await em.flush();
          return toReference(created);
        }),
      ),

    list: adminProcedure
      .meta({ description: `List the ${type}s, archived ones too` })
      .input(nothing)
      .output(z.array(Reference))
      .query(({ ctx }) =>
        ctx.session.inUnitOfWork(async (em) => (await em.find(kind, {}, { orderBy: { id: 'asc' } })).map(toReference)),
      ),

    rename: adminProcedure
      .meta({ description: `Rename a ${type}` })
      .input(z.strictObject({ id: bodyId(`Id of the ${type}`), name: name('New name') }))
      .output(Reference)
      .mutation(async ({ ctx, input }) =>
        toReference(
          await changeReference(
            ctx.session,
            (em) => em.findOne(kind, { id: input.id }, LOCKED),
            (found) => {
              found.name = input.name;
            },
          ),
        ),
      ),

    archive: adminProcedure
      .meta({ description: `Archive a ${type}: what has it keeps it, nothing new gets it` })
      .input(z.strictObject({ id: bodyId(`Id of the ${type}`) }))
      .output(Reference)
      .mutation(async ({ ctx, input }) =>
        toReference(
          await changeReference(
            ctx.session,
            (em) => em.findOne(kind, { id: input.id }, LOCKED),
            (found) => {
              found.archivedAt ??= new Date();
            },
          ),
        ),
      ),
  });

export const framework = referenceData(Framework, 'framework');
export const department = referenceData(Department, 'department');
