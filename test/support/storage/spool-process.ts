import { Spool } from '../../../server/storage/spool.ts';

// Receives 20 files at once in the folder of the first argument. Prints how many bytes, and how much its memory grew.

const FILES = 20;
const PARTS = 800;
const part = Buffer.alloc(65_536, 1);
const maxBytes = PARTS * part.length;
const spool = new Spool(process.argv[2] ?? '', { isShared: false });
await spool.start();

let maxMemory = 0;
async function* content() {
  for (let index = 0; index < PARTS; index += 1) {
    if (index % 50 === 0) maxMemory = Math.max(maxMemory, process.memoryUsage.rss());
    yield part;
  }
}

const first = await spool.receive(content(), maxBytes); // loads code, and fills what stays
const before = process.memoryUsage.rss();
const files = await Promise.all(Array.from({ length: FILES }, () => spool.receive(content(), maxBytes)));
const receivedBytes = files.reduce((sum, { size }) => sum + size, 0);
for (const file of [first, ...files]) await spool.discard(file);
process.stdout.write(JSON.stringify({ receivedBytes, memoryBytes: maxMemory - before }));
