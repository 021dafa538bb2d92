// Recomputes the hash chain of an exported audit log, without the database. Reads the output of the query in docs/audit.md
// from stdin. Prints the head, or the first line that does not match.
//
//   psql … -Atf audit.sql | npm exec -- node docs/examples/recompute-audit-log.ts
import { createHash } from 'node:crypto';

/** Hash of a seal, and the four lines that it covers together with the previous hash. */
interface ExportedSeal {
  hash: string;
  lines: string[];
}

/** Splits at line feeds only. `readline` also splits at U+2028, which text may contain. */
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query defines the format of a line
  const line = JSON.parse(json) as ExportedSeal;
  seq += 1;
  hash = createHash('sha256').update(hash).update(line.lines.join('\n')).digest();
  if (line.lines[0] !== String(seq) || line.hash !== hash.toString('hex')) {
    process.stdout.write(`seq ${seq} does not match\n`);
    process.exit(1);
  }
}
process.stdout.write(`${seq} ${hash.toString('hex')}\n`);
