import { open, readFile, rename } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';

/** Commands in one request: HAProxy reads at most 16 KiB (tune.bufsize), and a command may have 300 bytes. */
const COMMANDS_PER_REQUEST = 50;
const TIMEOUT_MS = 5000;

/** Reads the entries of a map file. A file that does not exist has none. */
export async function readMapFile(path: string): Promise<[string, string][]> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return [...content.matchAll(/^([0-9a-f]{64}) (\S+)$/gm)].map(([, key = '', cell = '']) => [key, cell]);
}

/** Replaces the file at once: after a crash it has the old entries or the new ones. */
export async function writeMapFile(path: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const file = await open(`${path}.part`, 'w', 0o644);
  try {
    await file.writeFile([...entries].map(([key, cell]) => `${key} ${cell}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/**
 * Makes the map in the memory of HAProxy equal to the entries. Compares it first, because HAProxy may have started again.
 * An entry that changes is replaced, so that no request finds it missing.
 */
export async function updateRuntimeMap(socket: string, path: string, entries: ReadonlyMap<string, string>) {
  const present = new Map<string, string>();
  for (const [, key = '', cell = ''] of (await send(socket, `show map ${path}`)).matchAll(/^0x\S+ (\S+) (\S+)$/gm))
    present.set(key, cell);
  const commands = [...entries]
    .filter(([key, cell]) => present.get(key) !== cell)
    .map(([key, cell]) => `${present.has(key) ? 'set' : 'add'} map ${path} ${key} ${cell}`);
  for (const key of present.keys()) if (!entries.has(key)) commands.push(`del map ${path} ${key}`);
  for (let index = 0; index < commands.length; index += COMMANDS_PER_REQUEST) {
    const response = await send(socket, commands.slice(index, index + COMMANDS_PER_REQUEST).join('; '));
    if (response.trim() !== '') throw new Error(`HAProxy: ${response.trim().split('\n')[0]}`);
  }
}

/** Sends one request to the runtime API (https://docs.haproxy.org/2.6/management.html#9.3). */
async function send(path: string, request: string): Promise<string> {
  const socket = createConnection(path);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('HAProxy: no response')));
  socket.end(`${request}\n`);
  return text(socket);
}
