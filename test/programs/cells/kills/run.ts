import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { Move } from '../../../../procedures/management/move/schemas.ts';
import { verifyChain } from '../../failover/checks/chains.ts';
import type { Cleanup } from '../../failover/environment/cleanup.ts';
import { withClient } from '../../../support/database/client.ts';
import { callManagement } from '../../../support/http/client.ts';
import { runCommand, startCell } from '../load/cell.ts';
import type { LoadCell } from '../load/cell.ts';
import { cellSecrets } from '../load/secrets.ts';
import { createSmallCompany, readFile } from './company.ts';
import type { SmallCompany } from './company.ts';
import { startGate } from './gate.ts';
import type { Gate, Moment } from './gate.ts';
import { SIDES, startWriters, writableSince, writesToBoth } from './writers.ts';
import type { AcknowledgedWrite, Side } from './writers.ts';

/** Processes that are killed at a call, and when. After a kill before the request the move is given up first, if it can be. */
export const KILLS: readonly { name: string; victim: 'command' | 'cell'; moment: Moment }[] = [
  { name: 'command, before the request', victim: 'command', moment: 'request' },
  { name: 'command, before the response', victim: 'command', moment: 'response' },
  { name: 'cell, while it handles the call', victim: 'cell', moment: 'handling' },
];
type Kill = (typeof KILLS)[number];

/** Time for which the writers show which cell may write. */
const OBSERVED_MS = 300;

/** Result of a kill. */
export interface KillResult {
  side: Side;
  call: string;
  kill: string;
  /** The cell that acknowledged writes after the kill, once all processes ran again. */
  writable: Side | 'nobody';
  violations: string[];
}

interface Place {
  cells: Record<Side, LoadCell>;
  gates: Record<Side, Gate>;
}

/** Moves a company for each call of a move and each kill at it, and completes every move afterwards. */
export async function runKills(
  cleanup: Cleanup,
  serverUrl: string,
  onResult: (result: KillResult) => void,
): Promise<KillResult[]> {
  const secrets = cellSecrets();
  const cells = {
    'old cell': await startCell(cleanup, serverUrl, { number: 1, secrets }),
    'new cell': await startCell(cleanup, serverUrl, { number: 2, secrets }),
  };
  const gates = {
    'old cell': await startGate(cells['old cell'].url),
    'new cell': await startGate(cells['new cell'].url),
  };
  for (const { stop } of Object.values(gates)) cleanup.add(async () => stop());
  const place: Place = { cells, gates };

  const undisturbed = await createSmallCompany(cells['old cell'].url, 'Undisturbed');
  const { code, stderr } = await runMove(place, undisturbed);
  if (code !== 0) throw new Error(`company move: ${stderr}`);
  const calls = SIDES.flatMap((side) => [...gates[side].calls.keys()].map((call) => ({ side, call })));
  const results: KillResult[] = [];
  for (const { side, call } of calls)
    for (const kill of KILLS) {
      const result = await killAt(place, { side, call, kill });
      results.push(result);
      onResult(result);
    }
  return results;
}

/** Runs `company move` through the gates. */
const runMove = (
  { gates }: Place,
  { id }: SmallCompany,
  args = ['--to', gates['new cell'].url],
  signal?: AbortSignal,
) => runCommand(gates['old cell'].url, id, ['company', 'move', ...args], {}, signal);

async function killAt(
  place: Place,
  { side, call, kill }: { side: Side; call: string; kill: Kill },
): Promise<KillResult> {
  const { cells, gates } = place;
  const violations: string[] = [];
  const company = await createSmallCompany(cells['old cell'].url, `${side}, ${call}, ${kill.name}`);
  const writers = startWriters(cells, company.key);
  const command = new AbortController();
  let isKilled = false;
  gates[side].interrupt(call, kill.moment, async () => {
    isKilled = true;
    if (kill.victim === 'command') command.abort();
    else await cells[side].kill();
  });
  const killed = await runMove(place, company, undefined, command.signal);
  if (!isKilled) violations.push('the call did not happen');
  if (killed.code === 0) violations.push('the command succeeded');
  if (kill.victim === 'cell') await cells[side].restart();

  const writable = await observe(writers.acknowledged);
  if (writable.length > 1) violations.push('both cells take writes');
  const records = await recordsOf(place, company);
  const claims = Object.values(records).filter((record) => record?.mayWrite === 'this cell');
  if (claims.length > 1) violations.push('the records of both cells say "this cell"');
  for (const writing of writable)
    if (records[writing]?.mayWrite === 'the other cell') violations.push(`the ${writing} writes against its record`);
  if (kill.moment === 'request') violations.push(...(await giveUp(place, company, { records, writers })));

  const again = await runMove(place, company);
  if (again.code !== 0) violations.push(`run again: ${again.stderr}${again.stdout}`);
  const afterwards = await observe(writers.acknowledged);
  if (afterwards.join() !== 'new cell') violations.push(`after the move writable: ${afterwards.join() || 'nobody'}`);
  await writers.stop();
  violations.push(...(await compare(cells['new cell'], company, writers.acknowledged)));
  return { side, call, kill: kill.name, writable: writable[0] ?? 'nobody', violations };
}

/** Cells that acknowledge writes from now on. */
async function observe(acknowledged: readonly AcknowledgedWrite[]): Promise<Side[]> {
  const sinceMs = performance.now();
  await wait(OBSERVED_MS);
  return writableSince(acknowledged, sinceMs);
}

type Records = Record<Side, z.output<typeof Move> | null>;

/** The record of the move in each cell. */
async function recordsOf({ cells }: Place, { id }: SmallCompany): Promise<Records> {
  const read = async ({ url }: LoadCell) =>
    Move.nullable().parse(await callManagement(url, 'company.moveRecord', { id }));
  return { 'old cell': await read(cells['old cell']), 'new cell': await read(cells['new cell']) };
}

/** Gives the move up, unless none has begun. @returns violations */
async function giveUp(
  place: Place,
  company: SmallCompany,
  { records, writers }: { records: Records; writers: { acknowledged: AcknowledgedWrite[] } },
): Promise<string[]> {
  const state = records['old cell']?.state;
  if (state === undefined || state === 'aborted') return [];
  const { code, stderr } = await runMove(place, company, ['--abort']);
  if (state === 'switched' || state === 'ended')
    return code !== 0 && stderr.includes('was switched') ? [] : [`--abort: ${code} ${stderr}`];
  const writable = await observe(writers.acknowledged);
  return [
    ...(code === 0 ? [] : [`--abort: ${stderr}`]),
    ...(writable.join() === 'old cell' ? [] : [`after --abort writable: ${writable.join() || 'nobody'}`]),
  ];
}

/** Compares what clients saw with what the new cell serves. @returns violations */
async function compare(
  cell: LoadCell,
  company: SmallCompany,
  acknowledged: readonly AcknowledgedWrite[],
): Promise<string[]> {
  const stored = await withClient(cell.ownerUrl, async (client) => {
    const text = 'select unique_id as id, name from vendor where company_id = $1';
    return (await client.query<{ id: string; name: string }>(text, [company.id])).rows;
  });
  const ids = new Set(stored.map(({ id }) => id));
  const reason = await verifyChain(cell.url, company.checkpoint);
  return [
    ...writesToBoth(acknowledged).map(({ uniqueId }) => `both cells: ${uniqueId}`),
    ...acknowledged.filter(({ uniqueId }) => !ids.has(uniqueId)).map(({ uniqueId }) => `lost: ${uniqueId}`),
    ...(new Set(stored.map(({ name }) => name)).size === stored.length ? [] : ['a write is stored twice']),
    ...(reason === null ? [] : [`audit log: ${reason}`]),
    ...((await readFile(cell.url, company)) === company.file.text ? [] : ['the file differs']),
  ];
}
