import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import {
  Aborted,
  Arrival,
  Arrived,
  Begun,
  Confirmation,
  Known,
  Move,
  Offer,
  Ready,
  TableSum,
} from '../../procedures/management/move/schemas.ts';
import { ConfigError } from '../../server/config/settings.ts';
import type { Cell } from './cells.ts';
import { copyFiles, copyPeople, copyTable } from './copy.ts';
import type { Cells } from './copy.ts';

/** Milliseconds for which attempts of webhooks that have begun may still run. Later ones are sent again by the other cell. */
const DELIVERY_WAIT_MS = 15_000;
const DELIVERY_POLL_MS = 500;

/** Moves a company. Killed at any point, it can be repeated. */
export async function moveCompany(source: Cell, target: Cell, id: number) {
  const offer = await offerOf(source, target, id);
  const begun = Begun.parse(await source.call('company.moveBegin', { id, peer: target.url }));
  const cells: Cells = { source, target, id, move: begun.move };
  const { head, confirmation, ...copied } =
    begun.switched === null
      ? await copyCompany(cells, begun.tables, offer)
      : { ...begun.switched, frozenAt: undefined, rows: {}, files: 0 };
  const arrived = await endMove(cells, begun.tables, { head, confirmation }).catch((error: unknown) => {
    throw withHint(error, `company ${id} was switched: run company move again`);
  });
  const { frozenAt, rows, files } = copied;
  const readOnlyMs = frozenAt === undefined ? null : Math.round(performance.now() - frozenAt);
  return { company: id, to: target.url, ...head, rows, files, readOnlyMs, ...arrived };
}

/** Describes the company to the other cell, which rejects it here, before anything changes. A move that has begun continues. */
async function offerOf(source: Cell, target: Cell, id: number): Promise<Offer> {
  const { erasedSequence } = Known.parse(await target.call('company.arrivalKnown', { id }));
  const offer = Offer.parse(await source.call('company.moveOffer', { id, sequence: erasedSequence }));
  const last = await lastMove(source, id);
  const isUnderWay = last?.direction === 'out' && last.state !== 'aborted' && last.peer === target.url;
  if (!isUnderWay) await target.call('company.arrivalCheck', { id, offer });
  return offer;
}

async function copyCompany(cells: Cells, tables: readonly { name: string }[], offer: Offer) {
  const { source, target, id, move } = cells;
  const frozenAt = performance.now();
  try {
    await source.call('company.freeze');
  } catch (error) {
    const { isFrozen } = Aborted.parse(await source.call('company.moveAbort', { id }));
    if (isFrozen) await source.call('company.unfreeze');
    throw error;
  }
  try {
    const { head, row } = await ready(source, id);
    const begin = { id, move, peer: source.url, offer, row };
    const { appUrl } = Arrival.parse(await target.call('company.arrivalBegin', begin));
    const rows: Record<string, number> = {};
    const sums: TableSum[] = [];
    for (const { name } of tables) {
      if (name === 'member') await copyPeople(cells);
      const copied = await copyTable(cells, name);
      if (copied > 0) rows[name] = copied;
      sums.push(TableSum.parse(await source.call('company.moveSum', { id, table: name })));
    }
    const files = await copyFiles(cells);
    const complete = Confirmation.parse(await target.call('company.arrivalComplete', { id, move, head, sums }));
    const handOver = { id, move, head, appUrl, ...complete };
    return { head, frozenAt, rows, files, ...Confirmation.parse(await source.call('company.moveSwitch', handOver)) };
  } catch (error) {
    throw withHint(error, `company ${id} is frozen: run company move again, or with --abort`);
  }
}

/** Completes a move after its switch. A target that serves the company already only repeats what it still asks of people. */
async function endMove(
  cells: Cells,
  tables: z.output<typeof Begun>['tables'],
  switched: NonNullable<z.output<typeof Begun>['switched']>,
): Promise<Omit<z.output<typeof Arrived>, 'confirmation'>> {
  const { source, target, id, move } = cells;
  const arrival = await lastMove(target, id);
  if (arrival?.move !== move || arrival.state !== 'serving') {
    await copyPeople(cells);
    for (const { name } of tables.filter(({ grows }) => grows)) await copyTable(cells, name);
  }
  const { confirmation, ...arrived } = Arrived.parse(
    await target.call('company.arrivalEnd', { id, move, ...switched }),
  );
  await source.call('company.moveEnd', { id, move, head: switched.head, confirmation });
  return arrived;
}

/** An error in one line, with what to do next. */
function withHint(error: unknown, hint: string): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`${reason}; ${hint}`, { cause: error });
}

/** Waits until the attempts of webhooks that began before the freeze have ended. */
async function ready(source: Cell, id: number): Promise<z.output<typeof Ready>> {
  for (const end = performance.now() + DELIVERY_WAIT_MS; ; await wait(DELIVERY_POLL_MS)) {
    const state = Ready.parse(await source.call('company.moveReady', { id }));
    if (!state.isSending || performance.now() > end) return state;
  }
}

const lastMove = async (cell: Cell, id: number) => Move.nullable().parse(await cell.call('company.moveRecord', { id }));

/**
 * Gives a move up before its switch: the company is writable in its cell again.
 * @param connect opens the other cell; the move is given up also without it
 */
export async function abortMove(source: Cell, id: number, connect: (url: string) => Cell) {
  const { move, peer, isFrozen } = Aborted.parse(await source.call('company.moveAbort', { id }));
  if (move === null || peer === null) throw new ConfigError(`company: ${id} is in no move`);
  if (isFrozen) await source.call('company.unfreeze');
  try {
    await connect(peer).call('company.arrivalDiscard', { id, move });
    return { company: id, aborted: true, discarded: true };
  } catch (error) {
    // Never served, and deleted by the next move.
    const reason = error instanceof Error ? error.message : String(error);
    return { company: id, aborted: true, discarded: false, reason: `${peer} still has an incomplete copy: ${reason}` };
  }
}
