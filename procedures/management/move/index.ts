import { z } from 'zod';
import { listMoves } from '../../../entities/company/moving.ts';
import type { MoveRow, MoveProgress } from '../../../entities/company/moving.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { movedTable, readRows } from '../../../database/move.ts';
import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { noInput } from '../../../entities/fields/schemas.ts';
import { mergeRouters, operatorProcedure, router } from '../../core/trpc.ts';
import type { Context } from '../../core/context.ts';
import { Move, idInput, PAGE_BYTES, Page, People, TableSum, afterInput, tableInput } from './schemas.ts';
import { sourceSteps } from './source.ts';
import { targetSteps } from './target.ts';
import { sumRows, readPeople } from './receiving.ts';

/**
 * The cell that may write a company, by the direction and the state of its move in one cell. The records of both cells never say
 * "this cell" at the same time.
 */
function mayWrite({ direction, state }: MoveProgress): z.output<typeof Move>['mayWrite'] {
  const isHere = direction === 'out' ? state === 'copying' || state === 'aborted' : state === 'serving';
  return isHere ? 'this cell' : 'the other cell';
}

const toOutput = (row: MoveRow) => ({
  company: row.id,
  direction: row.direction,
  move: row.move,
  state: row.state,
  peer: row.peer,
  beganAt: toIso(row.beganAt),
  changedAt: toIso(row.changedAt),
  mayWrite: mayWrite(row),
});

/** Session of a company that is being moved away: only then do these steps show its rows. @throws ApiError 409 */
async function movingSession({ session }: Pick<Context, 'session'>, id: number): Promise<Session> {
  const [move] = await session.run(listMoves, { id });
  if (move?.direction !== 'out' || move.state === 'aborted')
    throw new ApiError('conflict', `company: ${id} is not being moved away`);
  return session.asOperator(id).withoutDeadline();
}

/** Steps of `npx --no compliance company move` that read the company in the cell that it leaves. */
const readingSteps = router({
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

const records = router({
  moves: operatorProcedure
    .meta({
      description: 'List the last move of each company out of this cell or into it, and which cell may write it',
    })
    .input(noInput)
    .output(z.array(Move))
    .query(async ({ ctx: { session } }) => (await session.run(listMoves, { id: null })).map(toOutput)),

  moveRecord: operatorProcedure
    .meta({ description: 'Show the last move of a company', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(Move.nullable())
    .mutation(async ({ ctx: { session }, input: { id } }) => {
      const [row] = await session.run(listMoves, { id });
      return row === undefined ? null : toOutput(row);
    }),
});

/** Moves of companies between cells. See docs/contract.md, section 23. */
export const move = mergeRouters(records, sourceSteps, readingSteps, targetSteps);
