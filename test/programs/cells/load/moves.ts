import { setTimeout as wait } from 'node:timers/promises';
import type { LoadCell } from './cell.ts';
import { manage } from './cell.ts';

/** Time between a move and the erase of what it left, and after the erase. */
const PAUSE_MS = 5000;
const MEMORY_INTERVAL_MS = 100;

/** A move of a company under load. Times are of the monotonic clock. */
export interface MoveResult {
  from: string;
  to: string;
  /** Rows that were copied, of all tables. */
  rows: number;
  /** Milliseconds from the freeze until the other cell serves the company, as the command prints it. */
  readOnlyMs: number;
  startMs: number;
  endMs: number;
  /** Most resident memory of each cell during the move above that at its start, in bytes. */
  memoryGrowth: { from: number; to: number };
}

/** Moves a company to another cell, and erases what the move left. */
export async function moveAndErase(
  from: LoadCell,
  to: LoadCell,
  { id, name }: { id: number; name: string },
): Promise<MoveResult> {
  const memory = { from: watchMemory(from), to: watchMemory(to) };
  const startMs = performance.now();
  const { rows, readOnlyMs } = await manage(from, id, 'company', 'move', '--to', to.url);
  const endMs = performance.now();
  const memoryGrowth = { from: memory.from(), to: memory.to() };
  await wait(PAUSE_MS);
  await manage(from, id, 'company', 'erase', '--name', name);
  await wait(PAUSE_MS);
  return {
    from: from.name,
    to: to.name,
    rows: total(rows),
    readOnlyMs: Number(readOnlyMs),
    startMs,
    endMs,
    memoryGrowth,
  };
}

const total = (rows: unknown): number => {
  if (typeof rows !== 'object' || rows === null) throw new Error('company move: expected the rows of each table');
  return Object.values(rows).reduce((sum: number, count) => sum + Number(count), 0);
};

/** Reads the memory of a cell at intervals. @returns a function that ends it and returns the growth */
function watchMemory({ memory }: LoadCell): () => number {
  const before = memory();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memory());
  }, MEMORY_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}
