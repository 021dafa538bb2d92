import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readMapFile, updateRuntimeMap, writeMapFile } from './map-file.ts';
import { Routes } from './routes.ts';

// Keeps the map from keys to cells for HAProxy: in its file, from which HAProxy starts, and in its memory. Follows the directory
// of each cell with `npx --no compliance directory export --follow`.

const USAGE = `Usage: node deploy/haproxy/keep-map.ts --map FILE --socket FILE --cell BACKEND=URL …

--manage is the command that runs \`manage\`, by default that of this checkout. OPERATOR_TOKEN is the token of the cells. A cell with another token has it in OPERATOR_TOKEN_ and its name: OPERATOR_TOKEN_CELL_2 for cell-2.
`;

/** Milliseconds for which an entry stays after the last cell has removed it. Each cell reports a change within a second. */
const GRACE_MS = 2000;
/** Milliseconds until a lost directory is followed again, or HAProxy is tried again. */
const RETRY_MS = 1000;
/** Milliseconds between comparisons with the memory of HAProxy, which may have started again. */
const COMPARE_MS = 10_000;
/** Milliseconds for changes to gather before they are written. */
const GATHER_MS = 100;

interface Cell {
  name: string;
  url: string;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const log = (line: string) => process.stderr.write(`${line}\n`);
const { map, socket, cells, manage } = parseOptions();
const children = new Set<ChildProcess>();
let hasChanges = Promise.withResolvers<void>();
const routes = new Routes(
  cells.map(({ name }) => name),
  () => hasChanges.resolve(),
);

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    for (const child of children) child.kill();
    process.exit(0);
  });

// The entries of the file hold until each cell has sent its list.
for (const [key, cell] of await readMapFile(map)) if (cells.some(({ name }) => name === cell)) routes.add(cell, key);
for (const cell of cells) void followForever(cell);
await writeForever();

/** Writes the map after each change, and compares it with the memory of HAProxy from time to time. */
async function writeForever(): Promise<void> {
  let lastError = '';
  for (;;) {
    const isChanged = await Promise.race([hasChanges.promise.then(() => true), wait(COMPARE_MS, false)]);
    if (isChanged) await wait(GATHER_MS);
    hasChanges = Promise.withResolvers();
    try {
      if (isChanged) await writeMapFile(map, routes.entries());
      await updateRuntimeMap(socket, map, routes.entries());
      if (lastError !== '') log('HAProxy: updated again');
      lastError = '';
    } catch (error) {
      const message = messageOf(error);
      if (message !== lastError) log(`HAProxy: not updated: ${message}`);
      lastError = message;
      await wait(RETRY_MS);
      hasChanges.resolve();
    }
  }
}

/** Follows the directory of a cell. While it is lost, the entries of the cell stay. */
async function followForever(cell: Cell): Promise<void> {
  for (;;) {
    await follow(cell).catch((error: unknown) => log(`${cell.name}: ${messageOf(error)}`));
    await wait(RETRY_MS);
  }
}

/**
 * Runs `directory export --follow` of a cell until it ends. It prints the complete list, an empty line, and each change.
 * @throws Error when it ends
 */
async function follow({ name, url }: Cell): Promise<void> {
  const [program = '', ...args] = manage;
  const token = process.env[`OPERATOR_TOKEN_${name.toUpperCase().replaceAll(/\W/g, '_')}`];
  const child = spawn(program, [...args, 'directory', 'export', '--follow', '--server', url], {
    env: { ...process.env, ...(token !== undefined && { OPERATOR_TOKEN: token }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const exited = once(child, 'close');
  exited.catch(() => {}); // reported below, after the last line
  const listed = new Set<string>();
  for await (const line of createInterface(child.stdout)) {
    const [, removed, key] = /^(- )?([0-9a-f]{64})(?: \d+)?$/.exec(line) ?? [];
    if (line === '') {
      routes.keepOnly(name, listed, GRACE_MS);
      log(`${name}: ${listed.size} keys`);
    } else if (key !== undefined && removed === undefined) {
      listed.add(key);
      routes.add(name, key);
    } else if (key !== undefined) {
      listed.delete(key);
      routes.remove(name, key, GRACE_MS);
    }
  }
  await exited;
  children.delete(child);
  throw new Error(`directory export ended with status ${child.exitCode}`);
}

function parseOptions() {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`);
    return process.exit(2);
  }
}

function readOptions() {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { map: text, socket: text, cell: { type: 'string', multiple: true }, manage: text },
  });
  const named = (values.cell ?? []).map((option) => /^([\w-]+)=(https?:\/\/\S+)$/.exec(option));
  const parsed = named.flatMap((match): Cell[] => (match ? [{ name: match[1] ?? '', url: match[2] ?? '' }] : []));
  if (values.map === undefined || values.socket === undefined || parsed.length === 0 || parsed.length < named.length)
    throw new Error('expected --map, --socket, and --cell BACKEND=URL for each cell');
  const ownManage = [process.execPath, join(import.meta.dirname, '../../cli/manage.ts')];
  return { map: values.map, socket: values.socket, cells: parsed, manage: values.manage?.split(' ') ?? ownManage };
}
