import { createHash } from 'node:crypto';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import {
  IMPORT_CHUNK_BYTES,
  MAX_IMPORT_BYTES,
  MAX_OPEN_IMPORTS,
  deleteUpload,
  insertChunk,
  startUpload,
} from '../../entities/import/import.ts';
import type { ImportFormat, ImportKind } from '../../entities/import/import.ts';
import type { Upload } from '../core/context.ts';
import { requireExistingFramework } from '../task/write.ts';

/** Resources that a file contains. */
export interface UploadTarget {
  kind: ImportKind;
  /** Framework of tasks; null for vendors. */
  framework: number | null;
  format: ImportFormat;
  /** Client address; null without a connection. */
  address: string | null;
}

/** Charsets of files beside UTF-8, in which they are stored. */
export const CHARSETS = ['windows-1252', 'iso-8859-1', 'utf-16'];

const BIG_ENDIAN_MARK = 0xfe;

/** Converts content of a charset to UTF-8. @throws ApiError 400 for bytes that the charset does not have */
async function* toUtf8(content: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | undefined;
  const decode = (part?: Uint8Array) => {
    // The first byte of a byte order mark decides; without one UTF-16 is that of Windows.
    decoder ??= new TextDecoder(charset === 'utf-16' && part?.[0] === BIG_ENDIAN_MARK ? 'utf-16be' : charset, {
      fatal: true,
    });
    try {
      return Buffer.from(decoder.decode(part, { stream: part !== undefined }));
    } catch (error) {
      throw new ApiError('invalid_request', `Content-Type: expected a file in ${charset}`, { cause: error });
    }
  };
  for await (const part of content) if (part.length > 0) yield decode(part);
  yield decode();
}

/**
 * Stores a file in chunks, each in a separate transaction, so that a slow client holds neither memory nor a connection.
 * An error deletes what was stored.
 * @throws ApiError 404 for an unknown framework, 413 for a file that is too large, 400 for one in another charset, 422 for too many open imports
 */
export async function storeUpload(
  session: Session,
  target: UploadTarget,
  content: AsyncIterable<Uint8Array>,
  charset = 'utf-8',
): Promise<Upload> {
  if (target.framework !== null) await requireExistingFramework(session, target.framework);
  const uniqueId = newUniqueId();
  // A frozen company only replays a response, for which the file is compared and not used.
  const isStored = session.principal.isFrozen !== true;
  if (isStored && (await session.first(startUpload, { ...target, uniqueId })) === undefined) {
    throw new ApiError('unprocessable', `import: ${MAX_OPEN_IMPORTS} imports have not ended yet; cancel one, or wait`);
  }
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    let index = 0;
    const hashed = async function* () {
      for await (const part of content) {
        digest.update(part);
        yield part;
      }
    };
    for await (const chunk of inChunks(charset === 'utf-8' ? hashed() : toUtf8(hashed(), charset))) {
      bytes += chunk.length;
      if (isStored) await session.run(insertChunk, { uniqueId, index: index++, bytes: chunk });
    }
    return { uniqueId, bytes, sha256: digest.digest('hex') };
  } catch (error) {
    await discardUpload(session, { uniqueId });
    throw error;
  }
}

/** Deletes an upload unless an import uses it. After an error the retention job deletes it. */
export async function discardUpload(session: Session, { uniqueId }: Pick<Upload, 'uniqueId'>): Promise<void> {
  await session.run(deleteUpload, { uniqueId }).catch(() => {});
}

/** Regroups content in chunks of one size; the last one may be shorter. */
async function* inChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let pending = 0;
  let total = 0;
  for await (const part of content) {
    parts.push(part);
    pending += part.length;
    total += part.length;
    if (total > MAX_IMPORT_BYTES)
      throw new ApiError('payload_too_large', `The body is larger than ${MAX_IMPORT_BYTES} bytes.`);
    if (pending < IMPORT_CHUNK_BYTES) continue;
    let buffer = Buffer.concat(parts);
    for (; buffer.length >= IMPORT_CHUNK_BYTES; buffer = buffer.subarray(IMPORT_CHUNK_BYTES))
      yield buffer.subarray(0, IMPORT_CHUNK_BYTES);
    parts = [buffer];
    pending = buffer.length;
  }
  if (pending > 0) yield Buffer.concat(parts);
}
