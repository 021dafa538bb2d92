import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FILE_CHUNK_BYTES } from '../../entities/file/file-chunk.ts';
import type { OwnerQuery } from '../driver.ts';
import { DescribedError } from '../errors.ts';

/** Number of files in a page. */
const PAGE = 1000;

interface CopiedFile {
  company: number;
  uniqueId: string;
  store: 'files' | 'database';
  sha256: string;
}

const FILES = `select company_id as company, unique_id as "uniqueId", store, sha256 from file
  where state = 'stored' and store <> 's3' order by company_id, unique_id`;

/** Files whose bytes are in PostgreSQL now, and those that stay in S3. */
export interface CopiedFiles {
  files: number;
  bytes: number;
  filesInS3: number;
}

/**
 * Puts the bytes of stored files into the table of their chunks, and reads each from there.
 * @param folder of the stored files, which stays as it is
 * @throws DescribedError if the bytes of a file are missing, or not those of its digest
 */
export async function copyFiles(folder: string, source: OwnerQuery, target: OwnerQuery): Promise<CopiedFiles> {
  const [inS3] = await source<{ files: number }>(
    `select count(*)::int as files from file where state = 'stored' and store = 's3'`,
  );
  const copied: CopiedFiles = { files: 0, bytes: 0, filesInS3: inS3?.files ?? 0 };
  await source(`declare files no scroll cursor for ${FILES}`);
  const read = () => source<CopiedFile>(`fetch ${PAGE} from files`);
  for (let page = await read(); page.length > 0; page = await read()) {
    for (const file of page) {
      if (file.store === 'files') await insertChunks(folder, file, target);
      copied.files += 1;
      copied.bytes += await requireBytes(file, target);
    }
  }
  await source('close files');
  return copied;
}

async function insertChunks(folder: string, { company, uniqueId }: CopiedFile, target: OwnerQuery): Promise<void> {
  const bytes = createReadStream(join(folder, String(company), uniqueId), { highWaterMark: FILE_CHUNK_BYTES });
  let index = 0;
  try {
    for await (const chunk of bytes) {
      await target('insert into file_chunk (company_id, file_id, index, bytes) values ($1, $2, $3, $4)', [
        company,
        uniqueId,
        index,
        chunk,
      ]);
      index += 1;
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return; // `requireBytes` reports it
    throw cause;
  }
}

/** @returns the number of bytes */
async function requireBytes({ company, uniqueId, sha256 }: CopiedFile, target: OwnerQuery): Promise<number> {
  const digest = createHash('sha256');
  let size = 0;
  for (let index = 0; ; index += 1) {
    const [chunk] = await target<{ bytes: Buffer }>(
      'select bytes from file_chunk where company_id = $1 and file_id = $2 and index = $3',
      [company, uniqueId, index],
    );
    if (chunk === undefined) break;
    digest.update(chunk.bytes);
    size += chunk.bytes.length;
  }
  if (digest.digest('hex') !== sha256)
    throw new DescribedError(
      `the bytes of the file ${company}/${uniqueId} are missing or damaged: start the service, and evidence verify names its evidence`,
    );
  return size;
}
