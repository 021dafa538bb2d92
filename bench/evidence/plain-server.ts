import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// A plain server to compare uploads with, started by bench/evidence.ts: it writes each body to a file and syncs it to the disk. It
// prints its URL, and deletes its files when it gets SIGTERM.

const folder = await mkdtemp(join(tmpdir(), 'bench-plain-'));
let count = 0;

async function receive(request: IncomingMessage): Promise<void> {
  const path = join(folder, String((count += 1)));
  await pipeline(request, createWriteStream(path));
  const file = await open(path);
  await file.sync();
  await file.close();
}

const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(201).end(),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const address = server.address();
process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
process.once('SIGTERM', () => {
  void rm(folder, { recursive: true, force: true }).then(() => process.exit());
});
