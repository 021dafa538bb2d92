import { generateKeyPairSync } from 'node:crypto';
import { fileOf, readLines, readManifest, sealAnew, signAnew, toLines, toParts, toSealed } from './chain.ts';
import type { EventLine, Manifest, Row, SealedParts } from './chain.ts';
import { directoryOf, headersOf, readZip, writeZip } from './zip.ts';
import type { ZipEntries } from './zip.ts';

/** A proof that does not hold, with the options to find it. */
export interface Altered {
  zip: Buffer;
  /** Keys in PEM. */
  keys?: string[];
  checkpoint?: string;
}

/** A change of a valid proof from the beginning of the log. */
export interface Alteration {
  name: string;
  alter(zip: Buffer): Promise<Altered>;
  /** The line of a verifier. */
  expects: RegExp;
}

/** Signs what an attacker has made right again. */
export const attackerKey = generateKeyPairSync('ed25519').privateKey;

type Change = (entries: ZipEntries) => void;

/** Changes files, and leaves the manifest as it is. */
export const files =
  (change: Change) =>
  async (zip: Buffer): Promise<Altered> => {
    const entries = readZip(zip);
    change(entries);
    return { zip: await writeZip(entries) };
  };

/** Changes files, and makes a manifest and a signature that are right for them, with another key. */
export const remade =
  (change: Change, changeManifest: (manifest: Manifest) => Partial<Manifest> = () => ({})) =>
  async (zip: Buffer): Promise<Altered> => {
    const entries = readZip(zip);
    const manifest = changeManifest(readManifest(entries));
    change(entries);
    return { zip: await writeZip(signAnew(entries, attackerKey, manifest)) };
  };

/** Changes the bytes of the ZIP. */
export const bytes =
  (change: (zip: Buffer) => Buffer) =>
  async (zip: Buffer): Promise<Altered> => ({ zip: change(Buffer.from(zip)) });

/** Changes the rows of a file, and makes everything else right. */
export const rows = (name: string, change: (rows: Row[]) => Row[]) =>
  remade((entries) => entries.set(name, toLines(change(readLines(entries, name)))));

/** Changes one row of a file: the last that fits. */
export const row = (name: string, change: (row: Row) => void, fits: (row: Row) => boolean = () => true) =>
  rows(name, (all) => {
    const found = all.findLast(fits);
    if (found === undefined) throw new Error(`${name}: expected such a row`);
    change(found);
    return all;
  });

/** Changes the events as objects, without a new hash. */
export const lines = (change: (lines: EventLine[]) => EventLine[]) =>
  remade((entries) => {
    const [first, ...rest] = readLines<EventLine>(entries, 'events.ndjson');
    if (first !== undefined) entries.set('events.ndjson', toLines([first, ...change(rest)]));
  });

/** Changes the events, and makes every hash right again. */
export const chain = (change: (lines: EventLine[]) => EventLine[]) =>
  lines((all) => sealAnew({ sequence: 0, hash: '' }, change(all)));

export const indexOf = (all: readonly EventLine[], fits: (line: EventLine) => boolean): number => {
  const index = all.findLastIndex((line) => line.inPeriod === undefined && fits(line));
  if (index === -1) throw new Error('expected such an event');
  return index;
};
export const isAction = (action: string) => (line: EventLine) => line.event['action'] === action;

/** Changes one event in its sealed text and as it is shown: the last that fits. */
export const event = (
  fits: (line: EventLine) => boolean,
  changeSealed: (parts: SealedParts) => void,
  changeShown: (shown: EventLine['event']) => void,
) =>
  chain((all) => {
    const line = all[indexOf(all, fits)];
    if (line === undefined) return all;
    const parts = toParts(line.sealed);
    changeSealed(parts);
    line.sealed = toSealed(line.sequence, parts);
    changeShown(line.event);
    return all;
  });

/** Inserts bytes, and makes all positions after them right. */
export function insertAt(zip: Buffer, position: number, inserted: Buffer): Buffer {
  const altered = Buffer.concat([zip.subarray(0, position), inserted, zip.subarray(position)]);
  const directory = directoryOf(zip) + (position <= directoryOf(zip) ? inserted.length : 0);
  altered.writeUInt32LE(directory, altered.length - 6);
  for (const { central, local } of headersOf(altered).values())
    if (local >= position) altered.writeUInt32LE(local + inserted.length, central + 42);
  return altered;
}

/** Writes another name of the same length, in both directories unless one is named. */
export const renamed = (from: string, to: string, where: 'both' | 'local' = 'both') =>
  bytes((zip) => {
    const { central, local } = headerOf(zip, from);
    if (where === 'both') zip.write(to, central + 46);
    zip.write(to, local + 30);
    return zip;
  });

export function headerOf(zip: Buffer, name: string) {
  const header = headersOf(zip).get(name);
  if (header === undefined) throw new Error(`${name}: expected it in the ZIP`);
  const start = header.local + 30 + name.length;
  return { ...header, start, end: start + header.size };
}

/** Changes one byte in the middle of a file. */
export const flipped = (name: string) =>
  files((entries) => {
    const changed = Buffer.from(fileOf(entries, name));
    const middle = Math.floor(changed.length / 2);
    changed[middle] = (changed[middle] ?? 0) ^ 1;
    entries.set(name, changed);
  });
