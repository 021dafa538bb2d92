import { z } from 'zod';
import { movedTable } from '../../../database/move/plan.ts';
import { readRows } from '../../../database/move/rows.ts';
import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { listMoves } from '../../../entities/company/moving.ts';
import type { Context } from '../../core/context.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';
import { readPeople } from './people.ts';
import { PAGE_BYTES, Page, People, TableSum, afterInput, idInput, tableInput } from './schemas.ts';
import { sumRows } from './sums.ts';

/** Session of a company that is being moved away: only then do these steps show its rows. @throws ApiError 409 */
async function movingSession({ session }: Pick<Context, 'session'>, id: number): Promise<Session> {
  const [move] = await session.run(listMoves, { id });
  if (move?.direction !== 'out' || move.state === 'aborted')
    throw new ApiError('conflict', `company: ${id} is not being moved away`);
  return session.asOperator(id).withoutDeadline();
}

/** Steps of `npx --no compliance company move` that read the company in the cell that it leaves. */
export const readingSteps = router({
  moveRead: operatorProcedure
    .meta({ description: 'Read rows of a company that is being moved', isStep: true })
    .input(z.strictObject({ id: idInput, table: tableInput, after: afterInput, rows: z.int().min(1).max(5000) }))
    .output(Page)
    .mutation(async ({ ctx, input: { id, table, after, rows } }) =>
      (await movingSession(ctx, id)).one(
        ...readRows(await movedTable(table), { after, rows, maxBytes: PAGE_BYTES.rows }),
      ),
    ),

  movePeople: operatorProcedure
    .meta({ description: 'Read the people of a company that is being moved', isStep: true })
    .input(z.strictObject({ id: idInput, after: afterInput }))
    .output(People)
    .mutation(async ({ ctx, input: { id, after } }) => readPeople(await movingSession(ctx, id), after)),

  moveSum: operatorProcedure
    .meta({ description: 'Add up the rows of a table of a company that is being moved', isStep: true })
    .input(z.strictObject({ id: idInput, table: tableInput }))
    .output(TableSum)
    .mutation(async ({ ctx, input: { id, table } }) => sumRows(await movingSession(ctx, id), await movedTable(table))),
});
