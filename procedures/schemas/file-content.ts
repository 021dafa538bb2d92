import { z } from 'zod';
import { LARGEST_FILE_BYTES } from '../core/storage.ts';
import type { ByteRange } from '../core/storage.ts';

const Fields = z.object({
  /** Name under which a browser saves the file. */
  name: z.string(),
  mediaType: z.string(),
  /** Number of bytes of the whole content. */
  size: z.int(),
  /** SHA-256 of the content, in hexadecimal digits. */
  sha256: z.string(),
  /** uniqueId of the evidence that has the file, for the log. */
  evidence: z.string().optional(),
  /** Yields the bytes of a range. It is not called for an empty file. */
  read: z.custom<(range: ByteRange) => AsyncIterable<Uint8Array>>((value) => typeof value === 'function'),
});

/** A file that REST sends chunk by chunk. */
export const FileContent = z
  .custom<z.infer<typeof Fields>>((value) => Fields.safeParse(value).success)
  .meta({ override: { type: 'string', format: 'binary', maxLength: LARGEST_FILE_BYTES } });
