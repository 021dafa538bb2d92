import { z } from 'zod';
import { ApiError, found } from '../../../entities/api-error.ts';
import { MOVING_VERSION } from '../../../entities/company/closing.ts';
import {
  endArrival,
  findOccupant,
  lockMove,
  lockPlace,
  receiveCompany,
  receiveRows,
  recordMove,
  recordMoveState,
  databaseBytes,
  findTakenDomains,
} from '../../../entities/company/moving.ts';
import type { MoveRow } from '../../../entities/company/moving.ts';
import { setFrozen } from '../../../entities/company/freezing.ts';
import type { Location } from '../../../entities/file/file.ts';
import { recordSigningKey } from '../../../entities/signing-key/signing-key.ts';
import { readDataVersion } from '../../../entities/version/data-version.ts';
import type { Context, AnySession } from '../../core/context.ts';
import { confirmation, isConfirmed, cellKeys, cellName, storeNames } from '../../core/cell.ts';
import { servicesOf } from '../../core/services.ts';
import type { Services } from '../../core/services.ts';
import { currentLocation } from '../../core/storage.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';
import { storageOf } from '../../evidence/upload.ts';
import { requirePostgreSql } from '../freezing.ts';
import { discardArrival, filePage, requireComplete, inviteUnclaimed, receivePeople, unlinkTaken } from './receiving.ts';
import {
  Arrival,
  Arrived,
  Confirmation,
  FilePage,
  Head,
  Known,
  Offer,
  PAGE_BYTES,
  afterInput,
  idInput,
  jsonInput,
  sumsInput,
  moveInput,
  tableInput,
  urlInput,
  completed,
  served,
  switched,
} from './schemas.ts';

const inMove = { id: idInput, move: moveInput };

const storageIn = (ctx: Pick<Context, 'services'>) => storageOf(ctx.services);

/** Bytes that a company needs beyond those of its rows: indexes, and the log of PostgreSQL until its next checkpoint. */
const OVERHEAD = 2;

/**
 * Requires that this cell can take a company, before anything is frozen or copied.
 * @throws ApiError 409, 422 with one line that says what to do
 */
async function requireAcceptable(
  session: AnySession,
  services: Services,
  id: number,
  { cell, version, keys, bytes, domains, stores, sealAt }: Offer,
): Promise<void> {
  if ((await cellName(session)) === cell)
    throw rejected('--to: is the cell that has the company; expected another one');
  const { data } = await session.one(readDataVersion, {});
  if (data !== version)
    throw rejected(`--to: has data of version ${data}, not ${version}; upgrade the older cell first`);
  const own = await cellKeys(session, services);
  if (own.cursor !== keys.cursor)
    throw rejected('CURSOR_SECRET: differs between the cells; set what cell secrets prints in both');
  if (!keys.encryption.every((key) => own.encryption.includes(key)))
    throw rejected('ENCRYPTION_KEY: differs between the cells; set the same one in both');
  if (own.signing !== keys.signing) throw rejected('SIGNING_KEY: differs between the cells; set the same one in both');
  const occupant = await session.first(findOccupant, { id });
  if (occupant?.isMoved === true)
    throw rejected(`company: ${id} was moved away from that cell; run company erase there before it returns`);
  if (occupant?.erasedSequence === null && !occupant.isArriving)
    throw rejected(`company: that cell has another company ${id}; set COMPANY_ID_START so that ids differ`);
  if (occupant !== undefined && occupant.erasedSequence !== null && occupant.erasedHash !== sealAt)
    throw rejected(`company: that cell has erased another company ${id}; move this one to another cell`);
  if ((await storeNames(session, services.storage)).some((store) => stores.includes(store)))
    throw rejected('STORAGE_URL: is the same in both cells; give each its own bucket or prefix');
  const taken = await session.run(findTakenDomains, { domains, id });
  if (taken.length > 0)
    throw rejected(
      `domain: ${taken.map(({ domain }) => domain).join(', ')} belongs to another company of that cell; change the domains of one of them with sso set`,
    );
  await requireRoom(session, services, bytes);
}

const rejected = (line: string) => new ApiError('conflict', line);

/** PostgreSQL does not report free space, so DATABASE_MAX_BYTES bounds the database. */
async function requireRoom(session: AnySession, { databaseMaxBytes }: Services, bytes: number): Promise<void> {
  if (databaseMaxBytes === undefined) return;
  const { bytes: used } = await session.one(databaseBytes, {});
  const missing = used + OVERHEAD * bytes - databaseMaxBytes;
  if (missing > 0)
    throw rejected(
      `DATABASE_MAX_BYTES: ${Math.ceil(missing)} bytes are missing in that cell for the company; raise it, or give the cell a larger disk`,
    );
}

/** Steps of `npx --no compliance company move` in the cell that takes the company. Each may be repeated. Contract, section 23. */
export const targetSteps = router({
  arrivalKnown: operatorProcedure
    .meta({ description: 'Show what this cell knows of a company that may arrive', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(Known)
    .mutation(async ({ ctx: { session }, input: { id } }) => {
      requirePostgreSql(session);
      return { erasedSequence: (await session.first(findOccupant, { id }))?.erasedSequence ?? null };
    }),

  arrivalCheck: operatorProcedure
    .meta({ description: 'Check whether this cell can take a company', isStep: true })
    .input(z.strictObject({ id: idInput, offer: Offer }))
    .output(z.void())
    .mutation(({ ctx, input: { id, offer } }) => requireAcceptable(ctx.session, servicesOf(ctx), id, offer)),

  arrivalBegin: operatorProcedure
    .meta({ description: 'Begin the arrival of a company', isStep: true })
    .input(z.strictObject({ ...inMove, peer: urlInput, offer: Offer, row: jsonInput }))
    .output(Arrival)
    .mutation(async ({ ctx, input: { id, move, peer, offer, row } }) => {
      const { session, services, requestId } = ctx;
      await session.requireVersion(MOVING_VERSION);
      const last = await session.first(lockMove, { id });
      const appUrl = servicesOf(ctx).appUrl();
      if (last?.direction === 'in' && last.move === move && last.state !== 'aborted') return { appUrl };
      await requireAcceptable(session, servicesOf(ctx), id, offer);
      const operator = session.asOperator(id);
      if (last?.direction === 'in' && last.state !== 'serving')
        await discardArrival(operator.withoutDeadline(), storageIn(ctx), last);
      await operator.transaction(async (inside) => {
        for (const key of offer.signingKeys) await inside.run(recordSigningKey, key); // oxlint-disable-line no-await-in-loop
        await inside.run(recordMove, { id, direction: 'in', move, state: 'arriving', peer });
        await inside.run(receiveCompany, { row });
      });
      services?.report?.({ company: id, requestId, move, peer }, 'company: arrival began');
      return { appUrl };
    }),

  arrivalRows: operatorProcedure
    .meta({
      description: 'Receive rows of an arriving company',
      isStep: true,
      body: { kind: 'json', maxJsonBytes: PAGE_BYTES.body },
    })
    .input(z.strictObject({ ...inMove, table: tableInput, rows: jsonInput }))
    .output(z.object({ received: z.int() }))
    .mutation(async ({ ctx, input: { id, move, table, rows } }) => {
      const session = ctx.session.asOperator(id).withoutDeadline();
      return session.transaction(async (inside) => {
        await requireArriving(inside, { id, move });
        return inside.one(receiveRows, {
          table,
          rows: table === 'file' ? inStore(rows, currentLocation(storageIn(ctx))) : rows,
        });
      });
    }),

  arrivalPeople: operatorProcedure
    .meta({
      description: 'Receive the people of an arriving company',
      isStep: true,
      body: { kind: 'json', maxJsonBytes: PAGE_BYTES.body },
    })
    .input(z.strictObject({ ...inMove, people: jsonInput }))
    .output(z.void())
    .mutation(async ({ ctx: { session }, input: { id, move, people } }) => {
      await session
        .asOperator(id)
        .withoutDeadline()
        .transaction(async (inside) => {
          await requireArriving(inside, { id, move });
          await receivePeople(inside, people);
        });
    }),

  arrivalFiles: operatorProcedure
    .meta({ description: 'List files of an arriving company whose bytes have not arrived', isStep: true })
    .input(z.strictObject({ ...inMove, after: afterInput }))
    .output(FilePage)
    .mutation(async ({ ctx, input: { id, move, after } }) => {
      await requireArriving(ctx.session, { id, move });
      return filePage(ctx.session.asOperator(id).withoutDeadline(), storageIn(ctx), after);
    }),

  arrivalComplete: operatorProcedure
    .meta({ description: 'Verify that a company has arrived completely', isStep: true })
    .input(z.strictObject({ ...inMove, head: Head, sums: sumsInput }))
    .output(Confirmation)
    .mutation(async ({ ctx, input: { id, move, head, sums } }) => {
      const session = ctx.session.asOperator(id).withoutDeadline();
      await requireArriving(session, { id, move });
      await requireComplete(session, storageIn(ctx), { sums, head });
      await session.transaction(async (inside) => {
        await requireArriving(inside, { id, move }); // another command may have ended or aborted the move meanwhile
        await inside.run(recordMoveState, { id, state: 'complete', ...head });
      });
      return { confirmation: await confirmation(session, completed({ id, move, head })) };
    }),

  arrivalEnd: operatorProcedure
    .meta({ description: 'Serve a company that the other cell has handed over', isStep: true })
    .input(z.strictObject({ ...inMove, head: Head, ...Confirmation.shape }))
    .output(Arrived)
    .mutation(async ({ ctx, input: { id, move, head, confirmation: given } }) => {
      const { session, services, requestId } = ctx;
      if (!(await isConfirmed(session, switched({ id, move, head }), given)))
        throw new ApiError('unprocessable', 'confirmation: expected that of the other cell');
      const operator = session.asOperator(id);
      await operator.transaction(async (inside) => {
        const { state } = await requireArrival(inside, { id, move });
        if (state === 'serving') return;
        if (state !== 'complete') throw new ApiError('conflict', `company: ${id} has not arrived completely`);
        found(await inside.first(lockPlace, {}), 'company');
        await inside.run(endArrival, {});
        await inside.run(setFrozen, { frozen: false });
        await inside.run(recordMoveState, { id, state: 'serving', sequence: null, hash: null });
        services?.report?.({ company: id, requestId, move, ...head }, 'company: arrived');
      });
      session.invalidateApiKeys();
      const unlinked = await unlinkTaken(operator.withoutDeadline());
      const invitations = await inviteUnclaimed(operator.withoutDeadline(), servicesOf(ctx));
      return { unlinked, invitations, confirmation: await confirmation(session, served({ id, move, head })) };
    }),

  arrivalDiscard: operatorProcedure
    .meta({ description: 'Delete what has arrived of a company', isStep: true })
    .input(z.strictObject(inMove))
    .output(z.void())
    .mutation(async ({ ctx, input: { id, move } }) => {
      const session = ctx.session.asOperator(id).withoutDeadline();
      const last = await session.first(lockMove, { id });
      if (last?.direction !== 'in' || last.move !== move) return;
      if (last.state === 'serving') throw new ApiError('conflict', `company: ${id} is served here already`);
      await discardArrival(session, storageIn(ctx), last);
    }),
});

const FileRows = z.array(z.looseObject({ store: z.string() }));

/** Rows of files, with the store of this cell. */
const inStore = (rows: string, location: Location): string =>
  JSON.stringify(FileRows.parse(JSON.parse(rows)).map((row) => Object.assign(row, location)));

/** The move that brings a company to this cell. @throws ApiError 409 for another one */
async function requireArrival(session: AnySession, { id, move }: { id: number; move: string }): Promise<MoveRow> {
  const last = await session.first(lockMove, { id });
  if (last?.direction !== 'in' || last.move !== move)
    throw new ApiError('conflict', `company: ${id} does not arrive with the move ${move}; run company move again`);
  return last;
}

/** Requires that rows may still arrive. */
async function requireArriving(session: AnySession, input: { id: number; move: string }): Promise<void> {
  const { state } = await requireArrival(session, input);
  if (state !== 'arriving' && state !== 'complete')
    throw new ApiError('conflict', `company: ${input.id} has arrived, or its move was aborted`);
}
