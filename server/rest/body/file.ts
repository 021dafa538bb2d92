import type { ParameterizedContext } from 'koa';
import type { Session } from '../../../database/session.ts';
import { ApiError } from '../../../entities/api-error.ts';
import type { Context, Upload } from '../../../procedures/core/context.ts';
import type { FileBody } from '../../../procedures/core/declaration/meta.ts';
import { requireLengthWithin } from '../../http/body/json-body.ts';
import { readSlowly } from '../../http/body/slow-uploads.ts';
import type { RequestState } from '../../http/request-state.ts';
import type { Route } from '../route.ts';

type RequestContext = ParameterizedContext<RequestState>;

/** The file in the body of a request. */
export class FileUpload {
  /** The stored file; undefined until `receive` has ended. */
  file: Upload | undefined;
  readonly #ctx: RequestContext;
  readonly #session: Session;
  readonly #body: FileBody;
  readonly #suspend: Context['suspend'];

  private constructor(ctx: RequestContext, session: Session, body: FileBody, suspend: Context['suspend']) {
    this.#ctx = ctx;
    this.#session = session.withoutDeadline();
    this.#body = body;
    this.#suspend = suspend;
  }

  /** @returns undefined if the route takes no file */
  static of(
    ctx: RequestContext,
    { body }: Route,
    { session }: Context,
    { suspend }: Pick<Context, 'suspend'>,
  ): FileUpload | undefined {
    return body?.kind === 'file' && session.hasPrincipal() ? new FileUpload(ctx, session, body, suspend) : undefined;
  }

  /** Part of the fingerprint of an idempotent request. */
  get fingerprint(): object {
    return { file: this.file?.sha256, format: this.#body.formats[this.#ctx.request.type]?.name };
  }

  /** @throws ApiError 415 or 413, as far as the headers show it */
  checkHeaders(): void {
    this.#requireFormat();
    requireLengthWithin(this.#ctx, this.#body.maxBytes);
  }

  /** Stores the body. Meanwhile the request occupies no slot of the load shedder. The key must be valid afterwards. */
  async receive(input: Readonly<Record<string, unknown>>): Promise<void> {
    const ctx = this.#ctx;
    const received = { format: this.#requireFormat(), input, address: ctx.ip };
    await this.#suspend?.(async () => {
      this.file = await this.#body.store(this.#session, received, readSlowly(ctx));
    });
  }

  /** Deletes the file unless it is in use. */
  async discard(): Promise<void> {
    if (this.file !== undefined) await this.#body.discard(this.#session, this.file.uniqueId);
  }

  /** @throws ApiError 415 unless the headers declare an uncompressed file in UTF-8 */
  #requireFormat(): string {
    const ctx = this.#ctx;
    const { formats } = this.#body;
    const { type, charset } = ctx.request;
    const format = formats[type.trim().toLowerCase()];
    if (format === undefined || !['', 'utf-8', 'utf8'].includes(charset.toLowerCase()))
      throw new ApiError('unsupported_media_type', `Content-Type: expected ${Object.keys(formats).join(' or ')}`);
    if (!['', 'identity'].includes(ctx.get('Content-Encoding')))
      throw new ApiError('unsupported_media_type', 'Content-Encoding: expected none');
    return format.name;
  }
}
