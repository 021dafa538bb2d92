import { z } from 'zod';
import { listMoves } from '../../../entities/company/moving.ts';
import type { MoveProgress } from '../../../entities/company/company-move.ts';
import type { MoveRow } from '../../../entities/company/moving.ts';
import { noInput } from '../../../entities/fields/schemas.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { mergeRouters, operatorProcedure, router } from '../../core/trpc.ts';
import { Move, idInput } from './schemas.ts';
import { readingSteps } from './reading.ts';
import { sourceSteps } from './source.ts';
import { targetSteps } from './target.ts';

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
