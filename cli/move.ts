import { setTimeout as wait } from 'node:timers/promises';
import { createTRPCUntypedClient, httpLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
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
  FilePage,
  Page,
  People,
} from '../procedures/management/move/schemas.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { AppRouter } from '../procedures/index.ts';
import { FILES_PATH } from '../server/move/route.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { call as callPath, trpcLinkTo, unexpected } from './remote.ts';
import type { CallServer } from './remote.ts';

/** A cell as the command reaches it. */
export interface Cell {
  url: string;
  call: CallServer;
  /** The operator's credential. */
  headers: { Authorization: string };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @throws ConfigError unless the URL is one of HTTPS, or of HTTP on this machine */
function targetUrl(to: string): string {
  const url = URL.parse(to);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === null || !isSafe)
    throw new ConfigError('--to: expected the URL of the other cell with https; http only for a loopback address');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The other cell. @throws ConfigError without its token */
function targetCell(url: string, token: string | undefined): Cell {
  if (token === undefined)
    throw new ConfigError('TARGET_OPERATOR_TOKEN: expected the operator token of the other cell');
  const headers = { Authorization: `Bearer ${token}` };
  const client = createTRPCUntypedClient<AppRouter>({
    links: [httpLink({ ...trpcLinkTo(url, 'TARGET_OPERATOR_TOKEN'), headers })],
  });
  return { url, headers, call: (procedure, input) => client.mutation(`management.${procedure}`, input) };
}

/** Copies the bytes of a file from one cell to the other, without storing them in between. */
async function copyFile(source: Cell, target: Cell, company: number, uniqueId: string): Promise<void> {
  const path = `${FILES_PATH}/${company}/${uniqueId}`;
  const read = await callPath(source.url, path, { headers: source.headers });
  if (!read.ok || read.body === null) throw await failed(source, read);
  const init = { method: 'PUT', headers: target.headers, body: read.body, duplex: 'half' } as const;
  const written = await callPath(target.url, path, init);
  if (!written.ok) throw await failed(target, written);
}

async function failed({ url }: Cell, response: Response): Promise<ConfigError> {
  return unexpected(url, response, await response.json().catch(() => undefined));
}

/** Files that are copied at the same time. */
const CONCURRENT_FILES = 4;
/** Rows of the first page of a table, and of the others at most. Few at first: each may be large. */
const PAGE_ROWS = { first: 50, max: 1000 };

/** A move between two cells. */
interface Cells {
  source: Cell;
  target: Cell;
  id: number;
  move: string;
}

/** Copies the rows of a table page by page. Rows that have arrived already stay as they are. @returns the number of rows */
async function copyTable({ source, target, id, move }: Cells, table: string): Promise<number> {
  let copied = 0;
  let rows = PAGE_ROWS.first;
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = Page.parse(await source.call('company.moveRead', { id, table, after, rows }));
    if (page.last === null) return copied;
    await target.call('company.arrivalRows', { id, move, table, rows: page.rows });
    /* oxlint-enable no-await-in-loop */
    copied += page.count;
    if (!page.more) return copied;
    // A page that ended at its limit of bytes shows how many rows fit.
    rows = page.count < rows ? Math.max(1, page.count) : Math.min(PAGE_ROWS.max, rows * 2);
    ({ last: after } = page);
  }
}

/** Copies what people sign in with. Repeated, it brings it up to date. */
async function copyPeople({ source, target, id, move }: Cells): Promise<void> {
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = People.parse(await source.call('company.movePeople', { id, after }));
    if (page.last === null) return;
    await target.call('company.arrivalPeople', { id, move, people: page.people });
    /* oxlint-enable no-await-in-loop */
    ({ last: after } = page);
  }
}

/** Copies the bytes of each file that has not arrived with an earlier run. @returns the number of files */
async function copyFiles({ source, target, id, move }: Cells): Promise<number> {
  let total = 0;
  for (let after: string | null = null; ;) {
    /* oxlint-disable no-await-in-loop -- a page begins after the last one */
    const page = FilePage.parse(await target.call('company.arrivalFiles', { id, move, after }));
    for (let index = 0; index < page.missing.length; index += CONCURRENT_FILES)
      await Promise.all(
        page.missing.slice(index, index + CONCURRENT_FILES).map((uniqueId) => copyFile(source, target, id, uniqueId)),
      );
    /* oxlint-enable no-await-in-loop */
    total += page.count;
    if (page.last === null) return total;
    ({ last: after } = page);
  }
}

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
 * Aborts a move before its switch, so that the company is writable in its cell again.
 * @param connect opens the other cell; the move is aborted even if it cannot
 */
export async function abortMove(source: Cell, id: number, connect: (url: string) => Cell) {
  const { move, peer, isFrozen } = Aborted.parse(await source.call('company.moveAbort', { id }));
  if (move === null || peer === null) throw new ConfigError(`company: ${id} is not being moved`);
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

interface MoveOptions {
  /** The cell that has the company. */
  source: () => Promise<Cell>;
  /** Value of `--company`. */
  company: string | undefined;
  /** `TARGET_OPERATOR_TOKEN`. */
  targetToken: string | undefined;
}

/** Creates the command that moves a company to another cell, step by step. Killed at any point, it can be run again. */
export function moveCommand({ source, company, targetToken }: MoveOptions) {
  const t = initTRPC.meta<Meta>().create();
  return t.procedure
    .meta({ description: 'Move a company to another cell, with everything that belongs to it; or abort a move' })
    .input(
      z.object({
        to: z.string().optional().describe('URL of the other cell'),
        abort: z.boolean().default(false).describe('Abort the move, as long as the company has not been switched'),
      }),
    )
    .mutation(async ({ input: { to, abort } }) => {
      if (company === undefined || !/^[1-9]\d{0,9}$/.test(company))
        throw new ConfigError('--company: expected the id of the company to move');
      const id = Number(company);
      if (abort) return abortMove(await source(), id, (url) => targetCell(url, targetToken));
      if (to === undefined) throw new ConfigError('--to: expected the URL of the other cell');
      return moveCompany(await source(), targetCell(targetUrl(to), targetToken), id);
    });
}
