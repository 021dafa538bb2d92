import { ApiError } from '../../../entities/api-error.ts';

/** A member of a dictionary: a key, and a value that may contain commas between quotes. */
const MEMBER = /[ \t]*([a-z*][a-z0-9_.*-]*)((?:"(?:[^"\\]|\\["\\])*"|[^",])*)(?:,|$)/y;
/** SHA-256 as a byte sequence, which may have parameters. */
const SHA256 = /^=:([A-Za-z0-9+/]{43}=?):[ \t]*(?:;.*)?$/;

const MALFORMED = 'Content-Digest: expected a dictionary of digests, with SHA-256 as sha-256=:base64:';

/**
 * Reads the SHA-256 from `Content-Digest` and ignores other algorithms. The last of several members counts, as RFC 9651 demands.
 * https://www.rfc-editor.org/rfc/rfc9530#section-2
 * @returns hexadecimal digits; undefined without this algorithm
 * @throws ApiError 400
 */
export function sha256OfContentDigest(header: string): string | undefined {
  let sha256: string | undefined;
  let position = 0;
  while (position < header.length) {
    MEMBER.lastIndex = position;
    const member = MEMBER.exec(header);
    if (member === null) throw new ApiError('invalid_request', MALFORMED);
    const [text, key, value = ''] = member;
    if (key === 'sha-256') {
      const base64 = SHA256.exec(value.trimEnd())?.[1];
      if (base64 === undefined) throw new ApiError('invalid_request', MALFORMED);
      sha256 = Buffer.from(base64, 'base64').toString('hex');
    }
    position += text.length;
  }
  return sha256;
}

/** @throws ApiError 400 if the content has another SHA-256 than the client declared */
export function requireSameDigest(declared: string | undefined, received: string): void {
  if (declared !== undefined && declared !== received)
    throw new ApiError('invalid_request', `Content-Digest: the content that arrived has another SHA-256, ${received}`);
}
