import { createHash, createPublicKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { ZipEntries } from './zip.ts';

export type Row = Record<string, unknown>;

/** A line of `events.ndjson`. */
export interface EventLine {
  sequence: number;
  hash: string;
  sealed: string;
  event: Row & { changes: Row };
  inPeriod?: false;
}

export interface Manifest {
  product: { name: string; version: string };
  company: { id: number; name: string };
  from: string | null;
  asOf: string;
  frameworks: number[] | null;
  evidence: boolean;
  createdAt: string;
  head: { sequence: number; hash: string };
  files: { path: string; size: number; sha256: string }[];
  missing: { sha256: string; size: number }[];
}

/** A sealed text in its parts, without the sequence. */
export interface SealedParts {
  occurredAt: string;
  row: Row;
  changes: Row;
}

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A file that the proof must have. */
export function fileOf(entries: ZipEntries, name: string): Buffer {
  const bytes = entries.get(name);
  if (bytes === undefined) throw new Error(`${name}: expected it in the proof`);
  return bytes;
}

export function readLines<Line = Row>(entries: ZipEntries, name: string): Line[] {
  const lines = fileOf(entries, name).toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

export const toLines = (rows: readonly object[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

export const readManifest = (entries: ZipEntries) =>
  JSON.parse(fileOf(entries, 'manifest.json').toString()) as Manifest;

export function toParts(sealed: string): SealedParts {
  const [, occurredAt = '', row = '', changes = ''] = sealed.split('\n');
  return { occurredAt, row: JSON.parse(row) as Row, changes: JSON.parse(changes) as Row };
}

export const toSealed = (sequence: number, { occurredAt, row, changes }: SealedParts) =>
  [sequence, occurredAt, JSON.stringify(row), JSON.stringify(changes)].join('\n');

/** Numbers and hashes events anew, after the seal before. */
export function sealAnew(before: { sequence: number; hash: string }, lines: readonly EventLine[]): EventLine[] {
  let { sequence, hash } = before;
  return lines.map((line) => {
    sequence += 1;
    const sealed = [sequence, ...line.sealed.split('\n').slice(1)].join('\n');
    hash = createHash('sha256').update(Buffer.from(hash, 'hex')).update(sealed).digest('hex');
    return { ...line, sequence, hash, sealed, event: { ...line.event, sequence } };
  });
}

export const toPem = (privateKey: KeyObject) => createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });

/** Adds a manifest and its signature. */
export function signManifest(files: ZipEntries, manifest: Manifest, privateKey: KeyObject): ZipEntries {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  return new Map([...files, ['manifest.json', text], ['manifest.sig', sign(null, text, privateKey)]]);
}

/** Makes everything around the files right: key, sizes and digests, head, signature. A timestamp stays. */
export function signAnew(entries: ZipEntries, privateKey: KeyObject, change: Partial<Manifest> = {}): ZipEntries {
  const unlisted = new Set(['manifest.json', 'manifest.sig', 'manifest.tsr']);
  const files: ZipEntries = new Map([...entries].filter(([name]) => !unlisted.has(name)));
  files.set('signing-key.pem', Buffer.from(toPem(privateKey)));
  const { sequence, hash } = readLines<EventLine>(entries, 'events.ndjson').at(-1) ?? readManifest(entries).head;
  const manifest = {
    ...readManifest(entries),
    head: { sequence, hash },
    files: [...files].map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes) })),
    ...change,
  };
  const timestamp = entries.get('manifest.tsr');
  return signManifest(
    new Map([...files, ...(timestamp ? [['manifest.tsr', timestamp] as const] : [])]),
    manifest,
    privateKey,
  );
}
