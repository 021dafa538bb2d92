import type { Session } from '../../../database/session.ts';
import { lockFiles, takeFile } from '../../../entities/file/statements.ts';
import type { SpooledFile, Storage } from '../../core/storage.ts';
import { abandon, putFile, removedBeforeUse } from '../../evidence/put-file.ts';

/**
 * Puts the ZIP of a proof into the store of today, and uses it. Nothing is kept after an error.
 * @param use records the file, in the transaction that takes it into use
 */
export async function storeProof(
  session: Session,
  storage: Storage,
  zip: SpooledFile,
  use: (inside: Session, fileId: string) => Promise<void>,
): Promise<void> {
  const uniqueId = await putFile(session, storage, zip, 'proof');
  try {
    await session.transaction(async (inside) => {
      await inside.run(lockFiles, {});
      const taken = await inside.first(takeFile, { uniqueId, sha256: zip.sha256, purpose: 'proof', quotaBytes: 0 });
      if (taken === undefined) throw removedBeforeUse();
      await use(inside, taken.uniqueId);
    });
  } catch (error) {
    await abandon(session, storage, uniqueId);
    throw error;
  }
}
