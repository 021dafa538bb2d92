// Keeps a CSV file with the columns id, name, description and status, and the vendors of a company, equal in both directions:
//   SERVER=http://127.0.0.1:3000 API_KEY=svc_sk_live_… npm exec -- node docs/examples/two-way-sync.ts vendors.csv [--follow]
// The id of a row is the external id of its vendor. Vendors that were created in the service get their uniqueId as id.
// If both sides changed a vendor, the file wins: the history of the vendor keeps what it overwrites. A change wins over a deletion.
// The key is for this program alone: what the key did does not come back.
// `vendors.csv.state` holds what both sides last had in common. The program can be killed at any point: the next run continues.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

import {
  Base,
  Fields,
  InvalidRow,
  fieldsOf,
  isEqual,
  readChanges,
  readEverything,
  readVendor,
  writeVendor,
} from './vendor-service.ts';

const COLUMNS = ['id', 'name', 'description', 'status'] as const;
const FOLLOW_SECONDS = 5; // after this time without an event, --follow looks at the file again
const Row = Fields.extend({ id: z.string().regex(/^[\w-][\w.-]{0,99}$/) });
const State = z.object({ cursor: z.string(), vendors: z.record(z.string(), Base) });

/** Makes a vendor and its row equal. @returns what both have then; undefined if neither exists. @throws InvalidRow */
async function merge(id: string, row: Fields | undefined, base: Base | undefined, latest: Base | undefined) {
  for (let vendor = latest; ; vendor = await readVendor(id)) {
    const isUnchangedInFile = isEqual(row, base);
    const isDeletionLost = row === undefined && !isEqual(vendor, base);
    if (isEqual(row, vendor) || isUnchangedInFile || isDeletionLost) return vendor;
    const written = await writeVendor(id, row, vendor);
    if (written !== 'changed') return written;
    // Another client was faster, or the response to our own change was lost. The next round sees which.
  }
}

const [file = 'vendors.csv', option] = process.argv.slice(2);
const stateFile = `${file}.state`;

/** Writes a file so that a crash leaves the old or the new content. */
async function writeAtomically(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
}

const readIfExists = (path: string) =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

function parseRows(text: string): Map<string, Fields> {
  const columns = (header: string[]) => {
    if (header.join() !== COLUMNS.join()) throw new Error(`${file}: expected the columns ${COLUMNS.join()}`);
    return header;
  };
  if (text === '') throw new Error(`${file}: expected the columns ${COLUMNS.join()}`);
  const rows = z.array(Row).parse(parse(text, { columns, bom: true, skip_empty_lines: true }));
  const byRowId = new Map(rows.map(({ id, ...fields }) => [id, fields]));
  if (byRowId.size < rows.length) throw new Error(`${file}: an id occurs more than once`);
  return byRowId;
}

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const toCsv = (rows: Map<string, Fields>) =>
  [
    COLUMNS.join(),
    ...[...rows].map(([id, { name, description, status }]) => [id, name, description, status].map(quote).join()),
  ]
    .map((line) => `${line}\r\n`)
    .join('');

/** Makes both sides equal once. @returns false if the file was edited meanwhile, which the next pass handles */
async function synchronise(waitSeconds: number): Promise<boolean> {
  const stateText = await readIfExists(stateFile);
  let state = stateText === undefined ? undefined : State.parse(JSON.parse(stateText));
  const news = state && (await readChanges(state.cursor, waitSeconds));
  if (news === undefined) state = undefined; // the first run, or 410: what both sides had in common is unknown
  const { cursor, changed } = news ?? (await readEverything());
  const text = await readIfExists(file);
  if (text === undefined && stateText !== undefined)
    throw new Error(`${file}: missing; delete ${stateFile} to create it again`);
  const rows = text === undefined ? new Map<string, Fields>() : parseRows(text);

  const vendors = { ...state?.vendors };
  for (const id of new Set([...Object.keys(vendors), ...rows.keys(), ...changed])) {
    try {
      const base = vendors[id];
      const merged = await merge(id, rows.get(id), base, changed.has(id) ? await readVendor(id) : base);
      if (merged === undefined) {
        delete vendors[id];
        rows.delete(id);
      } else {
        vendors[id] = merged;
        rows.set(id, fieldsOf(merged));
      }
    } catch (error) {
      if (!(error instanceof InvalidRow)) throw error;
      process.stderr.write(`${error.message}\n`); // the row stays as it is, and is tried again by each pass
      process.exitCode = 1;
    }
  }
  if ((await readIfExists(file)) !== text) return false;
  // The file first: after a crash in between, both sides are equal, and the next pass notes that.
  const csv = toCsv(rows);
  if (csv !== text) await writeAtomically(file, csv);
  await writeAtomically(stateFile, JSON.stringify({ cursor, vendors }));
  return true;
}

const isFollowing = option === '--follow';
for (let isDone = false; !isDone;) {
  const isComplete = await synchronise(isFollowing ? FOLLOW_SECONDS : 0);
  isDone = isComplete && !isFollowing;
}
