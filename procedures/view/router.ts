import { z } from 'zod';
import { listOutput, noInput } from '../../entities/fields/schemas.ts';
import { listViews, toViewRecord } from '../../entities/view/statements.ts';
import { accountProcedure, router } from '../core/trpc.ts';
import { NewView, ViewChanges, ViewId, ViewOutput } from './schemas.ts';
import { changeView, createView, removeView } from './views.ts';

/** Views of the member, and the shared ones of the company. Contract, section 18. */
export const view = router({
  list: accountProcedure
    .meta({ description: 'List the own views and the shared ones of the company, by name' })
    .input(noInput)
    .output(listOutput(ViewOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listViews, {})).map(toViewRecord)),

  create: accountProcedure
    .meta({ description: 'Save a view' })
    .input(NewView)
    .output(ViewOutput)
    .mutation(({ ctx, input }) => createView(ctx.session, input)),

  update: accountProcedure
    .meta({ description: 'Change a view' })
    .input(ViewChanges)
    .output(ViewOutput)
    .mutation(({ ctx, input }) => changeView(ctx.session, input)),

  delete: accountProcedure
    .meta({ description: 'Delete a view' })
    .input(ViewId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeView(ctx.session, input.uniqueId)),
});
