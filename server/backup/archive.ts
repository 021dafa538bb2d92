import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { create, extract } from 'tar';
import { z } from 'zod';
import type { DatabaseContents } from '../../database/driver.ts';
import { databaseDir } from '../config/data-dir.ts';
import { ConfigError } from '../config/settings.ts';

const FORMAT_VERSION = 1;
const MANIFEST_FILE = 'manifest.json';
/** Bytes that are read at a time. Decompressed, they are in memory, and they may become a thousand times as many. */
const READ_BYTES = 64 * 1024;
/** Bytes of a file that is read at once. A database has a thousand small ones, for which streams take twice the time. */
const MAX_WHOLE_BYTES = 1024 * 1024;

const Manifest = z.strictObject({
  format: z.literal(FORMAT_VERSION, 'this version does not support its format'),
  madeAt: z.iso.datetime(),
  postgresql: z.int(),
  migrations: z.array(z.string()),
  rows: z.record(z.string(), z.int()),
  /** SHA-256 of each file by path. */
  files: z.record(z.string(), z.string()),
});

/** Contents of a backup. */
export type Manifest = z.infer<typeof Manifest>;

/**
 * Copies a database into an empty folder and returns a compressed tar archive. The manifest is the first entry.
 * @param copyTo copies the database to a new folder and returns the contents of the copy
 */
export async function createArchive(
  copyTo: (folder: string) => Promise<DatabaseContents>,
  folder: string,
): Promise<Readable> {
  const copy = databaseDir(folder);
  const contents = await copyTo(copy);
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    madeAt: new Date().toISOString(),
    ...contents,
    files: Object.fromEntries(await checksumDirectory(copy)),
  };
  await writeFile(join(folder, MANIFEST_FILE), JSON.stringify(manifest, null, 2));
  const paths = [MANIFEST_FILE, relative(folder, copy)];
  const archive = Readable.from(create({ cwd: folder, portable: true, maxReadSize: READ_BYTES }, paths));
  // Compressed on another thread: tar would do it on that of the requests. An error ends `compressed` with that error.
  const compressed = createGzip();
  pipeline(archive, compressed, () => {});
  return compressed;
}

/**
 * Extracts a backup into an empty folder and verifies every file against the manifest.
 * @throws ConfigError if the file is not a backup, or is incomplete
 */
export async function extractArchive(file: string, folder: string): Promise<Manifest> {
  const invalidBackup = (reason: string, cause?: unknown) =>
    new ConfigError(`${file}: not a complete backup: ${reason}`, { cause });
  let unexpectedPath: string | undefined;
  const isAllowedEntry = (path: string, entry: object) => {
    if ('type' in entry && entry.type !== 'File' && entry.type !== 'Directory') unexpectedPath ??= path;
    return unexpectedPath === undefined;
  };
  try {
    // Synchronous, because an asynchronous extraction still writes files after it failed, while the caller deletes the folder.
    const limits = { maxReadSize: READ_BYTES, maxDecompressionRatio: Infinity }; // stored files may be all zeros
    extract({ file, cwd: folder, strict: true, preserveOwner: false, filter: isAllowedEntry, sync: true, ...limits });
  } catch (error) {
    throw invalidBackup(error instanceof Error ? error.message : String(error), error);
  }
  if (unexpectedPath !== undefined) throw invalidBackup(`${unexpectedPath} is neither a file nor a folder`);
  const manifest = Manifest.safeParse(await readManifest(folder));
  if (!manifest.success) throw invalidBackup(manifest.error.issues[0]?.message ?? 'its manifest is invalid');
  const checksums = await checksumDirectory(databaseDir(folder));
  const listed = new Map(Object.entries(manifest.data.files));
  for (const path of new Set([...checksums.keys(), ...listed.keys()])) {
    if (checksums.get(path) !== listed.get(path)) throw invalidBackup(`${path} does not match its checksum`);
  }
  return manifest.data;
}

const readManifest = (folder: string): Promise<unknown> =>
  readFile(join(folder, MANIFEST_FILE), 'utf8')
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);

/** Computes the SHA-256 of each file by path. The result is a map, because a file may be named `__proto__`. */
async function checksumDirectory(folder: string): Promise<Map<string, string>> {
  const checksums = new Map<string, string>();
  for (const path of await listFiles(folder)) checksums.set(relative(folder, path), await checksumFile(path));
  return checksums;
}

/** Lists all files in a folder, recursively. A missing folder has none. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Computes the SHA-256 of a file. */
export async function checksumFile(file: string): Promise<string> {
  if ((await stat(file)).size <= MAX_WHOLE_BYTES) return hash('sha256', await readFile(file));
  const checksum = createHash('sha256');
  for await (const chunk of createReadStream(file)) checksum.update(chunk);
  return checksum.digest('hex');
}
