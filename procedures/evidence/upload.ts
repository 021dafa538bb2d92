import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { EvidenceRecord } from '../../entities/evidence/statements.ts';
import { MAX_FILES } from '../../entities/file/file.ts';
import { countFiles, lockFiles, takeFile, touchStoredFile } from '../../entities/file/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { Context, Upload } from '../core/context.ts';
import { parseInput } from '../core/errors.ts';
import type { Services } from '../core/services.ts';
import type { SpooledFile, Storage } from '../core/storage.ts';
import { readParent } from '../parent/parent.ts';
import { abandon, putFile, removedBeforeUse } from './put-file.ts';
import { NewFile } from './schemas.ts';
import { attach } from './write.ts';

/** @throws Error for a direct caller without stores */
export function storageOf(services: Pick<Services, 'storage'> | undefined): Storage {
  if (services?.storage === undefined) throw new Error('context: expected the stores of files');
  return services.storage;
}

/**
 * Receives a file and puts it into the store, before any transaction. The bytes are put only if the company does not have them yet.
 * An error removes what was kept.
 * @throws ApiError 404 or 403 for the task or vendor, 413 for a file that is too large, 422 for the quota, 503 without the store
 */
export async function receiveFile(
  session: Session,
  { input, mediaType }: { input: object; mediaType: string },
  content: AsyncIterable<Uint8Array>,
  services: Services | undefined,
): Promise<Upload> {
  const storage = storageOf(services);
  await readParent(session, parseInput(NewFile, input));
  const spooled = await storage.spool(content, storage.maxBytes);
  try {
    return {
      // A frozen company only replays a response, for which the file is compared and not used.
      uniqueId: session.principal.isFrozen === true ? newUniqueId() : await storeOnce(session, storage, spooled),
      bytes: spooled.size,
      sha256: spooled.sha256,
      mediaType,
    };
  } finally {
    await storage.discard(spooled);
  }
}

/** Puts a file into the present store, unless the company has the same bytes. @returns uniqueId of the file */
async function storeOnce(session: Session, storage: Storage, file: SpooledFile): Promise<string> {
  const { size, sha256 } = file;
  const present = await session.first(touchStoredFile, { sha256 });
  if (present !== undefined) return present.uniqueId;
  await requireRoom(session, storage, size);
  return putFile(session, storage, file, 'evidence');
}

/** @throws ApiError 422 if the company has no room for another file */
async function requireRoom(session: Session, { quotaBytes }: Storage, size: number): Promise<void> {
  const { files, bytes } = await session.one(countFiles, { purpose: 'evidence' });
  if (files >= MAX_FILES)
    throw new ApiError('unprocessable', `evidence: a company has at most ${MAX_FILES.toLocaleString('en')} files`);
  if (bytes + size > quotaBytes)
    throw new ApiError(
      'unprocessable',
      `EVIDENCE_QUOTA_BYTES: the files of the company would exceed its quota of ${quotaBytes} bytes`,
    );
}

/** Ends an upload: removes it unless evidence uses it. */
export async function discardFile(
  session: Session,
  { uniqueId }: Upload,
  services: Services | undefined,
): Promise<void> {
  await abandon(session, storageOf(services), uniqueId);
}

/** Attaches the file in the body of a request to a task or a vendor. @throws ApiError 422 for the quota, or too much evidence */
export async function attachFile(
  session: Session,
  { upload, services }: Pick<Context, 'upload' | 'services'>,
  input: z.infer<typeof NewFile>,
): Promise<EvidenceRecord> {
  const file = upload?.file;
  if (file === undefined) throw new ApiError('invalid_request', 'The file is in the body of a request over REST.');
  const storage = storageOf(services);
  const { sha256, bytes: size, mediaType = '' } = file;
  return session.transaction(async (inside) => {
    await inside.run(lockFiles, {});
    const { quotaBytes } = storage;
    const countsTwice = session.principal.frameworks !== null;
    const { uniqueId } = file;
    const taken = await inside.first(takeFile, { uniqueId, sha256, purpose: 'evidence', quotaBytes, countsTwice });
    if (taken === undefined) {
      await requireRoom(inside, storage, size);
      throw removedBeforeUse();
    }
    return attach(
      inside,
      { ...input, validUntil: input.validUntil ?? null },
      { kind: 'file', fileId: taken.uniqueId, mediaType, size, sha256 },
    );
  });
}
