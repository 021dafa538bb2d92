import type { ParameterizedContext } from 'koa';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_IMPORT_BYTES } from '../../entities/import/import.ts';
import type { ImportFormat, ImportKind } from '../../entities/import/import.ts';
import { discardUpload, storeUpload } from '../../procedures/import/upload.ts';
import type { Upload } from '../../procedures/import/upload.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { RequestState } from '../http/request-state.ts';
import { requireLengthWithin } from '../http/body/json-body.ts';
import { readSlowly } from '../http/body/slow-uploads.ts';
import type { Route } from './routes.ts';
import { CSV_MEDIA_TYPE, NDJSON } from './stream.ts';

type RequestContext = ParameterizedContext<RequestState>;

/** Formats of a file by media type. */
const FILE_FORMATS: Readonly<Record<string, ImportFormat>> = {
  [CSV_MEDIA_TYPE]: 'csv',
  [NDJSON.contentType]: 'ndjson',
};

/** The file in the body of a request. */
export class FileUpload {
  /** The stored file; undefined until `receive` has ended. */
  file: Upload | undefined;
  readonly #ctx: RequestContext;
  readonly #session: Session;
  readonly #kind: ImportKind;

  readonly #suspend: Context['suspend'];

  private constructor(ctx: RequestContext, session: Session, kind: ImportKind, suspend: Context['suspend']) {
    this.#ctx = ctx;
    this.#session = session.withoutDeadline();
    this.#kind = kind;
    this.#suspend = suspend;
  }

  /** @returns undefined if the route takes no file */
  static of(
    ctx: RequestContext,
    { fileUpload }: Route,
    { session }: Context,
    { suspend }: Pick<Context, 'suspend'>,
  ): FileUpload | undefined {
    return fileUpload !== undefined && session.hasPrincipal()
      ? new FileUpload(ctx, session, fileUpload, suspend)
      : undefined;
  }

  /** Part of the fingerprint of an idempotent request. */
  get fingerprint(): object {
    return { file: this.file?.sha256, format: FILE_FORMATS[this.#ctx.request.type] };
  }

  /** @throws ApiError 415 or 413, as far as the headers show it */
  checkHeaders(): void {
    requireFileFormat(this.#ctx);
    requireLengthWithin(this.#ctx, MAX_IMPORT_BYTES);
  }

  /** Stores the body. Meanwhile the request occupies no slot of the load shedder. The key must be valid afterwards. */
  async receive(framework: unknown): Promise<void> {
    const ctx = this.#ctx;
    const target = {
      kind: this.#kind,
      framework: this.#kind === 'task' ? Number(framework) : null,
      format: requireFileFormat(ctx),
      address: ctx.ip,
    };
    await this.#suspend?.(async () => {
      this.file = await storeUpload(this.#session, target, readSlowly(ctx));
    });
  }

  /** Deletes the file unless an import uses it. */
  async discard(): Promise<void> {
    if (this.file !== undefined) await discardUpload(this.#session, this.file.uniqueId);
  }
}

/** @throws ApiError 415 unless the headers declare an uncompressed file in UTF-8 */
function requireFileFormat(ctx: RequestContext): ImportFormat {
  const { type, charset } = ctx.request;
  const format = FILE_FORMATS[type.trim().toLowerCase()];
  if (format === undefined || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase()))
    throw new ApiError('unsupported_media_type', `Content-Type: expected ${Object.keys(FILE_FORMATS).join(' or ')}`);
  if (!['', 'identity'].includes(ctx.get('Content-Encoding')))
    throw new ApiError('unsupported_media_type', 'Content-Encoding: expected none');
  return format;
}
