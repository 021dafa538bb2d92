import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { findFile } from '../../entities/file/statements.ts';
import { found, notFound } from '../../entities/api-error.ts';
import type { Services } from '../core/services.ts';
import type { FileContent } from '../schemas/file-content.ts';
import { storageOf } from './upload.ts';
import { actions } from './write.ts';

/** The file of evidence, to be sent. @throws ApiError 404 for a link, 503 without its store */
export async function readContent(
  session: Session,
  evidence: string,
  services: Services | undefined,
): Promise<z.infer<typeof FileContent>> {
  const { name, fileId, mediaType, uniqueId: evidenceId } = await actions.read(session, evidence);
  if (fileId === null || mediaType === null) throw notFound('content');
  const { company, uniqueId, store, place, size, sha256 } = found(
    await session.first(findFile, { uniqueId: fileId }),
    'content',
  );
  const bytes = storageOf(services).store(store, place);
  return {
    name,
    mediaType,
    size,
    sha256,
    evidence: evidenceId,
    read: (range) => bytes.read({ company, uniqueId }, range),
  };
}
