// Recomputes a chain from an export, with nothing of the database it came from. Reads what the query of
// docs/verifying-the-trail.md prints on stdin, and writes the head, or the first line that does not hold.
//
//   psql … -Atf trail.sql | npm exec -- node docs/examples/recompute-audit-log.ts
import { createHash } from 'node:crypto';

/** A seal's hash, and the four lines of which its event's text is made. */
interface ExportedSeal {
  hash: string;
  lines: string[];
}

/** By line feeds alone: `readline` would also part them at U+2028, which text may hold. */
async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

let hash = Buffer.alloc(0);
let seq = 0;
for await (const json of readLines(process.stdin.setEncoding('utf8'))) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query says what a line is
  const line = JSON.parse(json) as ExportedSeal;
  seq += 1;
  hash = createHash('sha256').update(hash).update(line.lines.join('\n')).digest();
  if (line.lines[0] !== String(seq) || line.hash !== hash.toString('hex')) {
    process.stdout.write(`seq ${seq} does not hold\n`);
    process.exit(1);
  }
}
process.stdout.write(`${seq} ${hash.toString('hex')}\n`);
