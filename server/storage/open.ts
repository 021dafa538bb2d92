import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { filesFolder } from '../../database/pglite/files-folder.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { StoreName } from '../../entities/file/file.ts';
import type { FileStore, Storage } from '../../procedures/core/storage.ts';
import { databaseDir } from '../config/data-dir.ts';
import type { Settings } from '../config/settings.ts';
import { atPlace, endpointUrlOf, placeOf } from '../config/urls.ts';
import { DatabaseStore } from './database.ts';
import { FilesStore } from './files.ts';
import type { S3Store } from './s3.ts';
import { Spool } from './spool.ts';

type StorageSettings = Pick<Settings, 's3' | 'databaseUrl' | 'dataDir' | 'evidenceMaxBytes' | 'evidenceQuotaBytes'>;

/** Storage of this process. */
export interface OpenedStorage extends Storage {
  /** Aborts the calls to S3 that take longer than this. */
  endCalls(ms: number): void;
  /** Ends the removal of old files. */
  stop(): void;
}

/** Setting without which a store cannot be reached. */
const MISSING: Record<StoreName, string> = {
  database: 'The database has no files.',
  files: 'DATABASE_URL: expected no value, because the file is in the folder of the embedded database.',
  s3: 'STORAGE_URL: expected, because the file is in S3-compatible storage.',
};

/**
 * Opens the stores of this process, and the folder for received files (decision 0055). With the embedded database the
 * caller must own the lock of DATA_DIR.
 */
export async function openStorage(
  settings: StorageSettings,
  database: Database,
  log: Pick<Logger, 'warn'>,
): Promise<OpenedStorage> {
  const { s3, databaseUrl, dataDir, evidenceMaxBytes: maxBytes, evidenceQuotaBytes: quotaBytes } = settings;
  const stores: Partial<Record<StoreName, FileStore>> = { database: new DatabaseStore(database) };
  if (databaseUrl === undefined) stores.files = new FilesStore(filesFolder(databaseDir(dataDir)));
  // Imported here, so that it does not delay the start of services without it.
  const s3Module = s3 && (await import('./s3.ts'));
  const places = new Map<string, S3Store>();
  const place = s3 && placeOf(s3);
  if (s3 !== undefined && s3Module !== undefined && place !== undefined) {
    const current = new s3Module.S3Store(s3);
    places.set(place, current);
    stores.s3 = current;
  }
  /** S3 at another bucket and prefix than the present ones, where files were put before. */
  const atFormerPlace = (former: string): FileStore | undefined => {
    if (s3 === undefined || s3Module === undefined) return undefined;
    const known = places.get(former) ?? new s3Module.S3Store(atPlace(s3, former));
    places.set(former, known);
    return known;
  };
  const spool = openSpool(settings);
  // Everything else of the service works without the folder.
  await spool.start().catch((error: ApiError) => log.warn({ err: error.cause }, 'uploads: no folder for them'));
  return {
    current: s3?.isReadOnly === false ? 's3' : databaseUrl === undefined ? 'files' : 'database',
    endpoint: s3 && endpointUrlOf(s3),
    place,
    has: (name) => stores[name] !== undefined,
    store(name, at) {
      const isElsewhere = name === 's3' && at !== undefined && at !== null && at !== place;
      const store = isElsewhere ? atFormerPlace(at) : stores[name];
      if (store === undefined) throw new ApiError('unavailable', MISSING[name]);
      return store;
    },
    maxBytes,
    quotaBytes,
    spool: (content, limit = maxBytes) => spool.receive(content, limit),
    discard: (file) => spool.discard(file),
    endCalls(ms) {
      if (places.size > 0) setTimeout(() => places.forEach((one) => one.end()), ms).unref();
    },
    stop: () => spool.stop(),
  };
}

/** On the file system of the embedded database; else where every process of this machine may write. */
const openSpool = ({ databaseUrl, dataDir }: StorageSettings): Spool =>
  databaseUrl === undefined
    ? new Spool(join(dataDir, 'uploads'), { isShared: false })
    : new Spool(join(tmpdir(), `compliance-uploads-${process.getuid?.() ?? 'service'}`), { isShared: true });
