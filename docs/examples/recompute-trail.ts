// Recomputes a chain from an export, with nothing of the database it came from. Reads what the query of
// docs/verifying-the-trail.md prints on stdin, and writes the head, or the first line that does not hold.
//
//   psql … -Atf trail.sql | node docs/examples/recompute-trail.ts
import { createHash } from 'node:crypto';

/** A seal and its event: the columns that are not null, `changes` as the text that PostgreSQL prints. */
interface Line {
  hash: string;
  changes: string;
  columns: Record<string, string | number>;
}

/** PostgreSQL orders the keys of an object by their length first. */
const byLength = ([one]: [string, string], [other]: [string, string]) =>
  one.length - other.length || (one < other ? -1 : 1);

function textOf({ columns, changes }: Line): string {
  const texts = Object.entries(columns).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  const pairs = [...texts, ['changes', changes] satisfies [string, string]].toSorted(byLength);
  return `{${pairs.map(([name, text]) => `"${name}": ${text}`).join(', ')}}`;
}

/** By line feeds alone: `readline` would also part them at U+2028, which text may hold. */
async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
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
for await (const json of lines(process.stdin.setEncoding('utf8'))) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query says what a line is
  const line = JSON.parse(json) as Line;
  seq += 1;
  hash = createHash('sha256').update(hash).update(textOf(line)).digest();
  if (line.columns['seq'] !== seq || line.hash !== hash.toString('hex')) {
    process.stdout.write(`seq ${seq} does not hold\n`);
    process.exit(1);
  }
}
process.stdout.write(`${seq} ${hash.toString('hex')}\n`);
