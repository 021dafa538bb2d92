import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../../entities/api-error.ts';
import type { FileBody } from '../../../procedures/core/declaration/meta.ts';

/** Media type of a file, and the name of its format; an empty name if the operation takes any media type. */
export interface FileType {
  format: string;
  mediaType: string;
}

/** Maximum length of a stored media type, with its parameters. */
const MAX_LENGTH = 255;
/** Media type of a body without `Content-Type` (RFC 9110, section 8.3). */
const UNKNOWN_TYPE = 'application/octet-stream';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Printable ASCII characters between quotes. */
const QUOTED = String.raw`"(?:[^"\\\x00-\x1f\x7f-\uffff]|\\[\x20-\x7e])*"`;
/** `type/subtype` and its parameters. https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

/** @throws ApiError 415 unless the headers declare an uncompressed file of a media type that the operation takes */
export function requireFileType(ctx: ParameterizedContext, formats: FileBody['formats']): FileType {
  const fileType = formats === 'any' ? anyType(ctx) : listedType(ctx, formats);
  if (!['', 'identity'].includes(ctx.get('Content-Encoding').trim().toLowerCase()))
    throw new ApiError('unsupported_media_type', 'Content-Encoding: expected none');
  return fileType;
}

function anyType(ctx: ParameterizedContext): FileType {
  const mediaType = ctx.get('Content-Type').trim() || UNKNOWN_TYPE;
  if (mediaType.length > MAX_LENGTH || !MEDIA_TYPE.test(mediaType))
    throw new ApiError(
      'unsupported_media_type',
      `Content-Type: expected the form type/subtype, with at most ${MAX_LENGTH} characters`,
    );
  return { format: '', mediaType };
}

/** In UTF-8. */
function listedType({ request }: ParameterizedContext, formats: Exclude<FileBody['formats'], 'any'>): FileType {
  const mediaType = request.type.trim().toLowerCase();
  const format = Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined;
  if (format === undefined || !['', 'utf-8', 'utf8'].includes(request.charset.toLowerCase()))
    throw new ApiError('unsupported_media_type', `Content-Type: expected ${Object.keys(formats).join(' or ')}`);
  return { format: format.name, mediaType };
}
