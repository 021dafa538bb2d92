import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';
import { Session } from '../../../database/session.ts';
import { createCallerFactory } from '../../../procedures/core/trpc.ts';
import type { Storage } from '../../../procedures/core/storage.ts';
import { fileRemoval } from '../../../procedures/evidence/removal.ts';
import { discardFile, receiveFile } from '../../../procedures/evidence/upload.ts';
import { serviceRouter } from '../../../procedures/index.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import { openStorage } from '../../../server/storage/open.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database, databaseUrl, sql } from '../database/database.ts';
import { OPERATOR_TOKEN } from '../http/client.ts';
import { services } from '../tenants/member.ts';
import { partsOf } from './files.ts';

export const sha256Of = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Opens the stores of the service with the database of this test worker. @param folder of received files, and of stored ones */
export async function openTestStorage(folder: string, { maxBytes = 5_000_000, quotaBytes = 1_000_000_000 } = {}) {
  vi.stubEnv('TMPDIR', folder); // a server with PostgreSQL receives files there
  const settings = {
    s3: undefined,
    databaseUrl,
    dataDir: folder,
    evidenceMaxBytes: maxBytes,
    evidenceQuotaBytes: quotaBytes,
  };
  const storage = await openStorage(settings, database, createLog('silent')).finally(() => vi.unstubAllEnvs());
  storage.stop();
  return storage;
}

/** Names of received files that no store has taken. */
export async function receivedFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((name) => name.isFile() && name.parentPath.includes('uploads')).map(({ name }) => name);
}

interface FileRow {
  unique_id: string;
  state: string;
  sha256: string;
  uses: number;
  /** Evidence that refers to the file. */
  references: number;
}

/** The rows of files of a company. */
export const fileRows = (company: number) =>
  sql<FileRow>(
    `select unique_id, state, sha256, uses, (select count(*)::int from evidence e
      where e.company_id = f.company_id and e.file_id = f.unique_id) as references
    from file f where company_id = $1 order by unique_id`,
    company,
  );

const authenticate = createAuthentication(database, OPERATOR_TOKEN);
const createCaller = createCallerFactory(serviceRouter);

/** Procedures of a key that receive and read files like REST, without a server. */
export async function fileCaller(key: string, storage: Storage) {
  const { context } = await authenticate.apiKey({ headers: { 'x-api-key': key }, address: null, requestId: 'files' });
  const session = context.session.withoutDeadline();
  if (!session.hasPrincipal()) throw new Error('key: expected a principal');
  const withStorage = { ...services, storage };
  const caller = createCaller({ ...context, session, services: withStorage });
  return {
    evidence: caller.evidence,
    upload: async (taskUniqueId: string, content: Uint8Array) => {
      const input = { taskUniqueId, name: 'Report' };
      const type = 'application/pdf';
      const file = await receiveFile(session, { input, mediaType: type }, partsOf(content), withStorage);
      try {
        return await createCaller({ ...context, session, services: withStorage, upload: { file } }).evidence.upload(
          input,
        );
      } finally {
        await discardFile(session, file, withStorage);
      }
    },
    /** SHA-256 of the content that the store has. */
    sha256: async (evidence: string): Promise<string> => {
      const { read, size } = await caller.evidence.content({ evidence });
      const digest = createHash('sha256');
      for await (const bytes of read({ start: 0, end: size - 1 })) digest.update(bytes);
      return digest.digest('hex');
    },
  };
}

/** Runs the job that removes unused files. An error fails the test. */
export async function removeUnusedFiles(storage: Storage): Promise<void> {
  const session = new Session(database, null, 'removal');
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  await fileRemoval.run(session, {
    database,
    session,
    storage,
    signal: stop.signal,
    warn: (error) => {
      throw error;
    },
  });
}

/** Lets the files of a company look as if nothing had touched them for a minute. */
export const ageFiles = (company: number) =>
  sql(`update file set touched_at = now() - interval '1 minute' where company_id = $1`, company);
