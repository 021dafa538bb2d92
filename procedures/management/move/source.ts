import { z } from 'zod';
import type { Session } from '../../../database/session.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { ApiError, found } from '../../../entities/api-error.ts';
import { findHead, findSealHash } from '../../../entities/audit/checkpoint.ts';
import { MOVING_VERSION } from '../../../entities/company/closing.ts';
import {
  estimateBytes,
  listOwnDomains,
  lockMove,
  lockPlace,
  readCompanyRow,
  recordMove,
  recordMoveState,
  setMovedTo,
} from '../../../entities/company/moving.ts';
import type { MoveRow } from '../../../entities/company/moving.ts';
import { listPlacesOf } from '../../../entities/file/statements.ts';
import { lockPersonsOf } from '../../../entities/person/moving.ts';
import { listSigningKeys } from '../../../entities/signing-key/signing-key.ts';
import { readDataVersion } from '../../../entities/version/data-version.ts';
import { hasOpenDeliveries } from '../../../entities/webhook/sending.ts';
import { movePlan } from '../../../database/move.ts';
import { sealWaiting } from '../../audit/sealing.ts';
import { cellKeys, cellName, confirmation, isConfirmed, storeNames } from '../../core/cell.ts';
import { servicesOf } from '../../core/services.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';
import { requirePostgreSql } from '../freezing.ts';
import {
  Aborted,
  Begun,
  Confirmation,
  Head,
  Offer,
  Ready,
  idInput,
  moveInput,
  urlInput,
  completed,
  served,
  switched,
} from './schemas.ts';

/** Milliseconds for which the last events may wait for their seals. */
const SEAL_WAIT_MS = 5000;

const isMoving = (id: number, peer: string) =>
  new ApiError('conflict', `company: ${id} is being moved to ${peer}; run company move --abort first`);

/** Steps of `npx --no compliance company move` in the cell that the company leaves. Each may be repeated. Contract, section 23. */
export const sourceSteps = router({
  moveOffer: operatorProcedure
    .meta({ description: 'Describe a company to the cell that takes it', isStep: true })
    .input(z.strictObject({ id: idInput, sequence: z.int().min(0).nullable() }))
    .output(Offer)
    .mutation(async ({ ctx, input: { id, sequence } }) => {
      requirePostgreSql(ctx.session);
      const session = ctx.session.asOperator(id);
      const place = found(await session.first(lockPlace, {}), 'company');
      if (place.isClosed) throw new ApiError('conflict', `company: ${id} is closed; reopen it first`);
      if (place.isArriving) throw new ApiError('conflict', `company: ${id} has not arrived completely`);
      const { data } = await session.one(readDataVersion, {});
      const { bytes } = await session.one(estimateBytes, {});
      const places = (await session.run(listPlacesOf, {})).map(({ place: one }) => one);
      const seal = sequence === null ? undefined : await session.first(findSealHash, { sequence });
      return {
        cell: await cellName(session),
        version: data,
        keys: await cellKeys(session, servicesOf(ctx)),
        bytes,
        domains: (await session.run(listOwnDomains, {})).map(({ domain }) => domain),
        stores: await storeNames(session, servicesOf(ctx).storage, places),
        signingKeys: (await session.run(listSigningKeys, {})).map(({ keyId, publicKey }) => ({ keyId, publicKey })),
        sealAt: seal?.hash ?? null,
      };
    }),

  moveBegin: operatorProcedure
    .meta({ description: 'Record the begin of a move', isStep: true })
    .input(z.strictObject({ id: idInput, peer: urlInput }))
    .output(Begun)
    .mutation(async ({ ctx: { session, services, requestId }, input: { id, peer } }) => {
      await session.requireVersion(MOVING_VERSION);
      const tables = (await movePlan()).map(({ name, grows }) => ({ name, grows }));
      return session.asOperator(id).transaction(async (inside) => {
        found(await inside.first(lockPlace, {}), 'company');
        const last = await inside.first(lockMove, { id });
        const isUnderWay = last?.direction === 'out' && last.state !== 'aborted';
        if (isUnderWay && last.peer !== peer) throw isMoving(id, last.peer);
        if (isUnderWay) return { move: last.move, tables, switched: await confirmedSwitch(inside, last) };
        const { move } = await inside.one(recordMove, {
          id,
          direction: 'out',
          move: newUniqueId(),
          state: 'copying',
          peer,
        });
        services?.report?.({ company: id, requestId, move, peer }, 'company: move began');
        return { move, tables, switched: null };
      });
    }),

  moveReady: operatorProcedure
    .meta({ description: 'Wait until the log of a frozen company is sealed, and show its last event', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(Ready)
    .mutation(async ({ ctx, input: { id } }) => {
      const session = ctx.session.asOperator(id).withoutDeadline();
      if (!(await sealWaiting(session, SEAL_WAIT_MS)))
        throw new ApiError('unavailable', 'The audit log is not sealed yet. Try again shortly.');
      const { sequence, hash } = await session.one(findHead, {});
      const { row } = await session.one(readCompanyRow, {});
      const { exists: isSending } = await session.one(hasOpenDeliveries, {});
      return { head: { sequence, hash }, row, isSending };
    }),

  moveSwitch: operatorProcedure
    .meta({ description: 'Hand a company over to the other cell, which has all of it', isStep: true })
    .input(z.strictObject({ id: idInput, move: moveInput, head: Head, appUrl: urlInput, ...Confirmation.shape }))
    .output(Confirmation)
    .mutation(
      async ({ ctx: { session, services, requestId }, input: { id, move, head, appUrl, confirmation: given } }) => {
        if (!(await isConfirmed(session, completed({ id, move, head }), given)))
          throw new ApiError('unprocessable', 'confirmation: expected that of the other cell');
        await session.asOperator(id).transaction(async (inside) => {
          const { isFrozen } = found(await inside.first(lockPlace, {}), 'company');
          const last = await inside.first(lockMove, { id });
          if (last?.move !== move || last.direction !== 'out') throw noMove(id, move);
          if (isSwitched(last)) return;
          const now = await inside.one(findHead, {});
          if (last.state !== 'copying' || !isFrozen || now.hash !== head.hash) throw noMove(id, move);
          await inside.run(lockPersonsOf, { companyId: id });
          await inside.one(setMovedTo, { url: appUrl });
          await inside.run(recordMoveState, { id, state: 'switched', ...head });
          services?.report?.({ company: id, requestId, move, appUrl, ...head }, 'company: moved away');
        });
        session.invalidateApiKeys();
        return { confirmation: await confirmation(session, switched({ id, move, head })) };
      },
    ),

  moveEnd: operatorProcedure
    .meta({ description: 'Record that the other cell serves the company', isStep: true })
    .input(z.strictObject({ id: idInput, move: moveInput, head: Head, ...Confirmation.shape }))
    .output(z.void())
    .mutation(async ({ ctx: { session, services, requestId }, input: { id, move, head, confirmation: given } }) => {
      if (!(await isConfirmed(session, served({ id, move, head }), given)))
        throw new ApiError('unprocessable', 'confirmation: expected that of the other cell');
      await session.asOperator(id).transaction(async (inside) => {
        const last = await inside.first(lockMove, { id });
        if (last?.move !== move || last.direction !== 'out' || !isSwitched(last)) throw noMove(id, move);
        if (last.state === 'ended') return;
        await inside.run(recordMoveState, { id, state: 'ended', sequence: null, hash: null });
        services?.report?.({ company: id, requestId, move }, 'company: move ended');
      });
    }),

  moveAbort: operatorProcedure
    .meta({ description: 'Abort a move', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(Aborted)
    .mutation(({ ctx: { session, services, requestId }, input: { id } }) =>
      session.asOperator(id).transaction(async (inside) => {
        const { isFrozen, isArriving } = found(await inside.first(lockPlace, {}), 'company');
        const last = await inside.first(lockMove, { id });
        if (isArriving)
          throw new ApiError('conflict', `company: run company move --abort in the cell that ${id} leaves`);
        if (last !== undefined && isSwitched(last))
          throw new ApiError(
            'conflict',
            `company: ${id} was switched to ${last.peer}; run company move again to complete it`,
          );
        if (last?.direction !== 'out') return { move: null, peer: null, isFrozen };
        if (last.state === 'aborted') return { move: last.move, peer: last.peer, isFrozen };
        await inside.run(recordMoveState, { id, state: 'aborted', sequence: null, hash: null });
        services?.report?.({ company: id, requestId, move: last.move }, 'company: move aborted');
        return { move: last.move, peer: last.peer, isFrozen };
      }),
    ),
});

/** True if the other cell may write the company. */
const isSwitched = ({ state }: MoveRow) => state === 'switched' || state === 'ended';

/** The head of a company that was handed over, with the confirmation for the other cell. */
async function confirmedSwitch(session: Session, last: MoveRow) {
  const { id, move, sequence, hash } = last;
  if (!isSwitched(last) || sequence === null || hash === null) return null;
  const head = { sequence, hash };
  return { head, confirmation: await confirmation(session, switched({ id, move, head })) };
}

const noMove = (id: number, move: string) =>
  new ApiError('conflict', `company: ${id} is not in the move ${move}; run company move again`);
