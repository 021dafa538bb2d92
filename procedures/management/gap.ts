import { z } from 'zod';
import { Framework } from '../../entities/framework.ts';
import { Gap } from '../../entities/gap.ts';
import { isId } from '../../entities/ids.ts';
import { Refusal, notFound } from '../../entities/refusal.ts';
import { isoOrNull, moment, name, bodyId, nothing } from '../shapes.ts';
import { adminProcedure, router } from '../trpc.ts';
import { LOCKED, changeReference } from './reference-data.ts';

const GapObject = z.object({ id: z.int(), framework: z.int(), title: z.string(), archivedAt: moment.nullable() });

const toGap = ({ id, framework, title, archivedAt }: Gap) => ({
  id,
  framework: framework.id,
  title,
  archivedAt: isoOrNull(archivedAt),
});

/** Gaps, each of one framework. Contract, section 7. */
export const gap = router({
  create: adminProcedure
    .meta({ description: 'Create a gap of a framework' })
    .input(z.strictObject({ framework: bodyId('Id of the framework'), title: name('Title of the gap') }))
    .output(GapObject)
    .mutation(({ ctx: { session }, input: { framework: id, title } }) =>
      session.inUnitOfWork(async (em) => {
        const framework = isId(id) ? await em.findOne(Framework, { id }) : null;
        if (framework === null) throw notFound('framework');
        if (framework.archivedAt) throw new Refusal('unprocessable', 'framework: is archived');
        const created = em.create(Gap, { company: session.principal.company, framework, title });
        await em.flush();
        return toGap(created);
      }),
    ),

  list: adminProcedure
    .meta({ description: 'List the gaps, archived ones too' })
    .input(nothing)
    .output(z.array(GapObject))
    .query(({ ctx }) =>
      ctx.session.inUnitOfWork(async (em) => (await em.find(Gap, {}, { orderBy: { id: 'asc' } })).map(toGap)),
    ),

  rename: adminProcedure
    .meta({ description: 'Change the title of a gap' })
    .input(z.strictObject({ id: bodyId('Id of the gap'), title: name('New title') }))
    .output(GapObject)
    .mutation(async ({ ctx, input }) =>
      toGap(
        await changeReference(
          ctx.session,
          (em) => em.findOne(Gap, { id: input.id }, LOCKED),
          (found) => {
            found.title = input.title;
          },
        ),
      ),
    ),

  archive: adminProcedure
    .meta({ description: 'Archive a gap: tasks that have it keep it, no other gets it' })
    .input(z.strictObject({ id: bodyId('Id of the gap') }))
    .output(GapObject)
    .mutation(async ({ ctx, input }) =>
      toGap(
        await changeReference(
          ctx.session,
          (em) => em.findOne(Gap, { id: input.id }, LOCKED),
          (found) => {
            found.archivedAt ??= new Date();
          },
        ),
      ),
    ),
});
