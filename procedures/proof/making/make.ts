import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Session } from '../../../database/session.ts';
import { NAME, VERSION } from '../../../database/version.ts';
import { ApiError } from '../../../entities/api-error.ts';
import { SEALED_FIELDS } from '../../../entities/audit/sealed-fields.ts';
import { hasOlderTransactions } from '../../../entities/proof/making.ts';
import type { TakenProof } from '../../../entities/proof/making.ts';
import { findStoredFile } from '../../../entities/proof/reading.ts';
import type { StoredFile } from '../../../entities/proof/reading.ts';
import { toIso, toIsoOrNull } from '../../../entities/statements/change-metadata.ts';
import { sealWaiting } from '../../audit/sealing.ts';
import type { Signing, TimestampAuthority } from '../../core/signing.ts';
import { DamagedFileError, MissingBytesError, verifiedBytes } from '../../core/storage.ts';
import type { SpooledFile, Storage } from '../../core/storage.ts';
import { ProofError, eventLines, findPiece } from './events.ts';
import type { Piece, ProofContents } from './events.ts';
import { People } from './people.ts';
import { reportText } from './report/report.ts';
import { Registers, pathOf } from './register-files.ts';
import type { EvidenceFile } from './register-files.ts';

/** Milliseconds between two looks at older transactions. */
const OLDER_POLL_MS = 200;
/** Milliseconds for which the last events may wait for their seals. Then another attempt begins. */
const SEAL_WAIT_MS = 5000;
const text = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

/** Services that a proof needs. */
export interface ProofServices {
  storage: Storage;
  signing: Signing;
  timestamp: TimestampAuthority | undefined;
}

interface Options {
  signal: AbortSignal;
  /** Maximum size of the ZIP. */
  maxBytes: number;
  /** Receives the share of the work that is done, in percent. */
  onProgress: (percent: number) => void;
}

export interface MadeProof {
  zip: SpooledFile;
  head: Piece['head'];
}

/** Characters that are collected before they are compressed. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Time of every entry: the ZIP has no time of its own. */
const MTIME = new Date(Date.UTC(1980, 0, 1, 12));
const MODE = 0o100644;

/** A file in the manifest. */
interface PackedFile {
  path: string;
  size: number;
  sha256: string;
}

/** A ZIP that is written one file after the other, with the digest of each. */
class Package {
  readonly #zip = new ZipFile();
  readonly files: PackedFile[] = [];
  /** The first error ends the ZIP. */
  readonly #failure = Promise.withResolvers<never>();

  constructor() {
    this.#failure.promise.catch(() => {});
    this.#zip.on('error', (error) => this.#failure.reject(error));
  }

  /** The bytes of the ZIP. It ends after `end`. */
  get content(): AsyncIterable<Uint8Array> {
    return Readable.from(this.#zip.outputStream);
  }

  /** Writes a file of text. */
  addText(path: string, parts: AsyncIterable<string> | Iterable<string>): Promise<void> {
    return this.addBytes(path, encode(parts), { compress: true });
  }

  /** Writes a file. @param compress false for bytes of any format */
  async addBytes(path: string, content: AsyncIterable<Uint8Array>, { compress = false } = {}): Promise<void> {
    const digest = createHash('sha256');
    let size = 0;
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const stream = Readable.from(
      (async function* () {
        for await (const chunk of content) {
          digest.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    stream.once('end', resolve).once('error', reject);
    this.#zip.addReadStream(stream, path, { mtime: MTIME, mode: MODE, compress });
    await Promise.race([ended, this.#failure.promise]);
    this.files.push({ path, size, sha256: digest.digest('hex') });
  }

  /** Writes the manifest, or a file that proves it. The manifest lists neither. */
  addUnlisted(path: string, bytes: Buffer): void {
    const stream = Readable.from([bytes], { objectMode: false });
    this.#zip.addReadStream(stream, path, { mtime: MTIME, mode: MODE, compress: false });
  }

  end(): void {
    this.#zip.end();
  }

  destroy(error: Error): void {
    this.#failure.reject(error);
    const { outputStream } = this.#zip;
    if (outputStream instanceof Readable) outputStream.destroy(error);
  }
}

async function* encode(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  let buffered = '';
  for await (const part of parts) {
    buffered += part;
    if (buffered.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(buffered);
    buffered = '';
  }
  if (buffered !== '') yield Buffer.from(buffered);
}

/**
 * Makes the ZIP of a proof on the disk of this process.
 * @throws ProofError whose message is the reason of a failure; ApiError 413 for a ZIP that is too large
 */
export async function makeProof(
  session: Session,
  services: ProofServices,
  proof: TakenProof,
  options: Options,
): Promise<MadeProof> {
  const { frameworks, evidence } = proof;
  const asOf = toIso(proof.asOf);
  const from = toIsoOrNull(proof.from);
  while ((await session.one(hasOlderTransactions, { asOf })).exists)
    await wait(OLDER_POLL_MS, undefined, { signal: options.signal });
  if (!(await sealWaiting(session, SEAL_WAIT_MS)))
    throw new ApiError('unavailable', 'The audit log is not sealed yet.');
  const piece = await findPiece(session, from, asOf);
  const people = await People.read(session, { asOf, head: piece.head.sequence });
  const made = new Package();
  const request = { from, asOf, frameworks, evidence, piece, people };
  const endBoth = (error: unknown): never => {
    made.destroy(error instanceof Error ? error : new Error('proof: failed', { cause: error }));
    throw error;
  };
  const [zip] = await Promise.all([
    services.storage.spool(made.content, options.maxBytes).catch(endBoth),
    write(made, session, services, request, options).catch(endBoth),
  ]);
  return { zip, head: piece.head };
}

/** Shares of the work in percent, at the end of each part. */
const SHARE = { registers: 40, report: 50, events: 75, files: 99 } as const;

async function write(
  made: Package,
  session: Session,
  { storage, signing, timestamp }: ProofServices,
  contents: ProofContents,
  { signal, onProgress }: Options,
): Promise<void> {
  const { from, asOf, frameworks, evidence, piece, people } = contents;
  const registers = new Registers(session, contents);
  await made.addText('README.txt', [await text('../verify/README.txt')]);
  await made.addText('verify.mjs', [await text('../verify/verify.mjs')]);
  await made.addText('signing-key.pem', [signing.publicKeyPem]);
  await made.addText('fields.json', [`${JSON.stringify(SEALED_FIELDS, null, 2)}\n`]);
  let written = 0;
  for (const { path, content } of registers.files()) {
    await made.addText(path, abortable(content, signal));
    written += 1;
    onProgress((SHARE.registers * written) / registers.count);
  }
  const { company, evidenceFiles } = registers;
  const files = await locate(session, evidence ? evidenceFiles : new Map());
  await made.addText('report.html', abortable(reportText(session, contents, registers, files.missing), signal));
  onProgress(SHARE.report);
  const length = piece.head.sequence - piece.before.sequence;
  await made.addText(
    'events.ndjson',
    abortable(
      ndjson(eventLines(session, { from, asOf, piece, people }), (lines) =>
        onProgress(SHARE.report + ((SHARE.events - SHARE.report) * Math.min(lines, length)) / Math.max(1, length)),
      ),
      signal,
    ),
  );
  const total = files.stored.reduce((sum, { size }) => sum + size, 0);
  let copied = 0;
  for (const { sha256, size, store, place, uniqueId, evidence: file } of files.stored) {
    const bytes = storage.store(store, place).read({ company: company.id, uniqueId }, { start: 0, end: size - 1 });
    const verified = verifiedBytes(abortable(bytes, signal), sha256);
    await made.addBytes(pathOf(sha256, file), verified).catch((error: unknown) => {
      throw error instanceof DamagedFileError ? damaged(file, error) : error;
    });
    copied += size;
    onProgress(SHARE.events + ((SHARE.files - SHARE.events) * copied) / Math.max(1, total));
  }
  const manifest = {
    product: { name: NAME, version: VERSION },
    company,
    from,
    asOf,
    frameworks,
    evidence,
    createdAt: new Date().toISOString(),
    head: piece.head,
    files: made.files,
    missing: files.missing,
  };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  made.addUnlisted('manifest.json', bytes);
  made.addUnlisted('manifest.sig', signing.sign(bytes));
  if (timestamp !== undefined) made.addUnlisted('manifest.tsr', await requestTimestamp(timestamp, bytes));
  made.end();
}

/** The time stamp of the manifest. An error of the authority is the reason of the failure. */
const requestTimestamp = (timestamp: TimestampAuthority, manifest: Buffer): Promise<Buffer> =>
  timestamp.request(createHash('sha256').update(manifest).digest()).catch((error: unknown) => {
    throw new ProofError(error instanceof Error ? error.message : 'The time-stamp server failed', { cause: error });
  });

const damaged = ({ name, uniqueId }: EvidenceFile, cause: DamagedFileError) =>
  new ProofError(
    `The file of the evidence “${name}” (${uniqueId}) is ${cause instanceof MissingBytesError ? 'missing' : 'damaged'} in the store`,
    { cause },
  );

/** Finds the stored files with these digests, and those whose bytes are gone. */
async function locate(session: Session, wanted: ReadonlyMap<string, EvidenceFile>) {
  const stored: (StoredFile & { sha256: string; evidence: EvidenceFile })[] = [];
  const missing: { sha256: string; size: number }[] = [];
  for (const [sha256, evidence] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const file = await session.first(findStoredFile, { sha256 });
    if (file === undefined) missing.push({ sha256, size: evidence.size });
    else stored.push({ ...file, sha256, evidence });
  }
  return { stored, missing };
}

async function* ndjson(lines: AsyncIterable<object>, onLine: (count: number) => void): AsyncGenerator<string> {
  let count = 0;
  for await (const line of lines) {
    yield `${JSON.stringify(line)}\n`;
    onLine(count++);
  }
}

async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
