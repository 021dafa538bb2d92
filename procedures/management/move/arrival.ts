import { ApiError } from '../../../entities/api-error.ts';
import { lockMove } from '../../../entities/company/moving.ts';
import type { MoveRow } from '../../../entities/company/moving.ts';
import type { AnySession } from '../../core/context.ts';

/** The move that brings a company to this cell. @throws ApiError 409 for another one */
export async function requireArrival(
  session: AnySession,
  { id, move }: { id: number; move: string },
): Promise<MoveRow> {
  const last = await session.first(lockMove, { id });
  if (last?.direction !== 'in' || last.move !== move)
    throw new ApiError('conflict', `company: ${id} does not arrive with the move ${move}; run company move again`);
  return last;
}

/** Requires that rows may still arrive. */
export async function requireArriving(session: AnySession, input: { id: number; move: string }): Promise<void> {
  const { state } = await requireArrival(session, input);
  if (state !== 'arriving' && state !== 'complete')
    throw new ApiError('conflict', `company: ${input.id} has arrived, or its move was aborted`);
}
