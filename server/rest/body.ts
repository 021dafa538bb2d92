import type { ParameterizedContext, Context as KoaContext } from 'koa';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import type { Context, Upload } from '../../procedures/core/context.ts';
import type { FileBody, Meta } from '../../procedures/core/declaration/meta.ts';
import type { Services } from '../../procedures/core/services.ts';
import { ApiError } from '../../entities/api-error.ts';
import { requireLengthWithin, MAX_BODY_BYTES, readJsonBody } from '../http/body/json-body.ts';
import { readSlowly } from '../http/body/slow-uploads.ts';
import { uploadSlots } from '../http/body/upload-slots.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Route, JsonBodyRoute } from './route.ts';

type RequestContext = ParameterizedContext<RequestState>;

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
function sha256OfContentDigest(header: string): string | undefined {
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
function requireSameDigest(declared: string | undefined, received: string): void {
  if (declared !== undefined && declared !== received)
    throw new ApiError('invalid_request', `Content-Digest: the content that arrived has another SHA-256, ${received}`);
}

/** Media type of a file, and the name of its format; an empty name if the operation takes any media type. */
interface FileType {
  format: string;
  mediaType: string;
  charset: string;
  /** Undefined: that of the operation. */
  maxBytes?: number | undefined;
}

const UTF_8 = 'utf-8';

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
function requireFileType(ctx: ParameterizedContext, { formats, charsets = [] }: FileBody): FileType {
  const fileType = formats === 'any' ? anyType(ctx) : listedType(ctx, formats, charsets);
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
  return { format: '', mediaType, charset: UTF_8 };
}

function listedType(
  { request }: ParameterizedContext,
  formats: Exclude<FileBody['formats'], 'any'>,
  charsets: readonly string[],
): FileType {
  const mediaType = request.type.trim().toLowerCase();
  const format = Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined;
  if (format === undefined)
    throw new ApiError('unsupported_media_type', `Content-Type: expected ${Object.keys(formats).join(' or ')}`);
  const sent = request.charset.toLowerCase();
  const charset = ['', 'utf8'].includes(sent) ? UTF_8 : sent;
  if (charset !== UTF_8 && !charsets.includes(charset))
    throw new ApiError(
      'unsupported_media_type',
      `Content-Type: expected the charset ${[UTF_8, ...charsets].join(' or ')}`,
    );
  return { format: format.name, mediaType, charset, maxBytes: format.maxBytes };
}

/** The file in the body of a request. */
export class FileUpload {
  /** The stored file; undefined until `receive` has ended. */
  file: Upload | undefined;
  readonly #ctx: RequestContext;
  readonly #session: Session;
  readonly #body: FileBody;
  readonly #suspend: Context['suspend'];
  readonly #services: Services | undefined;

  private constructor(
    ctx: RequestContext,
    session: Session,
    body: FileBody,
    { suspend, services }: Pick<Context, 'suspend' | 'services'>,
  ) {
    this.#ctx = ctx;
    this.#session = session.withoutDeadline();
    this.#body = body;
    this.#suspend = suspend;
    this.#services = services;
  }

  /** @returns undefined if the route takes no file */
  static of(
    ctx: RequestContext,
    { body }: Route,
    { session }: Context,
    control: Pick<Context, 'suspend' | 'services'>,
  ): FileUpload | undefined {
    return body?.kind === 'file' && session.hasPrincipal() ? new FileUpload(ctx, session, body, control) : undefined;
  }

  #maxBytesOf({ maxBytes }: FileType): number {
    return maxBytes ?? this.#body.maxBytes(this.#services);
  }

  /** Part of the fingerprint of an idempotent request. */
  get fingerprint(): object {
    const { formats } = this.#body;
    const { format, mediaType, charset } = requireFileType(this.#ctx, this.#body);
    const inCharset = { ...(charset !== UTF_8 && { charset }) };
    return { file: this.file?.sha256, ...(formats === 'any' ? { mediaType } : { format, ...inCharset }) };
  }

  /** @throws ApiError 415, 413 or 400, as far as the headers show it */
  checkHeaders(): void {
    requireLengthWithin(this.#ctx, this.#maxBytesOf(requireFileType(this.#ctx, this.#body)));
    sha256OfContentDigest(this.#ctx.get('Content-Digest'));
  }

  /**
   * Stores the body. Meanwhile the request occupies no slot of the load shedder. The key must be valid afterwards.
   * @throws ApiError 503 without reading the body if too many files arrive, 400 if `Content-Digest` has another SHA-256
   */
  async receive(input: Readonly<Record<string, unknown>>): Promise<void> {
    const ctx = this.#ctx;
    const fileType = requireFileType(ctx, this.#body);
    const received = { ...fileType, input, address: ctx.ip };
    const release = uploadSlots.acquire(this.#session.principal);
    try {
      await this.#suspend?.(async () => {
        const content = readSlowly(ctx, this.#maxBytesOf(fileType));
        this.file = await this.#body.store(this.#session, received, content, this.#services);
      });
    } finally {
      release();
    }
    if (this.file !== undefined) requireSameDigest(sha256OfContentDigest(ctx.get('Content-Digest')), this.file.sha256);
  }

  /** Deletes the file unless it is in use. */
  async discard(): Promise<void> {
    if (this.file !== undefined) await this.#body.discard(this.#session, this.file, this.#services);
  }
}

/** Methods with a request body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * @param fields input fields in the body
 * @param isObject false if the input has more than these fields
 * @returns undefined if the operation takes no body
 */
export function compileJsonBody(
  method: string,
  { body }: Meta,
  fields: readonly z.core.$ZodType[],
  isObject: boolean,
): JsonBodyRoute | undefined {
  if (!METHODS_WITH_BODY.has(method) || (fields.length === 0 && isObject)) return undefined;
  const isOptional = method === 'POST' && fields.every((field) => field._zod.optin !== undefined);
  return { kind: 'json', isOptional, maxBytes: body?.maxJsonBytes ?? MAX_BODY_BYTES };
}

/** Reads the input fields in the body. @throws ApiError 415, 413 or 400 */
export const readJsonFields = async (
  ctx: KoaContext,
  { isOptional, maxBytes }: JsonBodyRoute,
): Promise<Record<string, unknown>> => (isOptional && isBodyEmpty(ctx) ? {} : readJsonBody(ctx, maxBytes));

/** Returns true for a request without a body. https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
const isBodyEmpty = ({ req: { headers } }: KoaContext) =>
  headers['transfer-encoding'] === undefined && [undefined, '0'].includes(headers['content-length']);
