import type { ParameterizedContext } from 'koa';
import type { Session } from '../../../database/session.ts';
import type { Context, Upload } from '../../../procedures/core/context.ts';
import type { FileBody } from '../../../procedures/core/declaration/meta.ts';
import type { Services } from '../../../procedures/core/services.ts';
import { requireLengthWithin } from '../../http/body/json-body.ts';
import { readSlowly } from '../../http/body/slow-uploads.ts';
import { uploadSlots } from '../../http/body/upload-slots.ts';
import type { RequestState } from '../../http/request-state.ts';
import type { Route } from '../route.ts';
import { requireSameDigest, sha256OfContentDigest } from './content-digest.ts';
import { requireFileType } from './media-type.ts';

type RequestContext = ParameterizedContext<RequestState>;

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

  get #maxBytes(): number {
    return this.#body.maxBytes(this.#services);
  }

  /** Part of the fingerprint of an idempotent request. */
  get fingerprint(): object {
    const { formats } = this.#body;
    const { format, mediaType } = requireFileType(this.#ctx, formats);
    return { file: this.file?.sha256, ...(formats === 'any' ? { mediaType } : { format }) };
  }

  /** @throws ApiError 415, 413 or 400, as far as the headers show it */
  checkHeaders(): void {
    requireFileType(this.#ctx, this.#body.formats);
    requireLengthWithin(this.#ctx, this.#maxBytes);
    sha256OfContentDigest(this.#ctx.get('Content-Digest'));
  }

  /**
   * Stores the body. Meanwhile the request occupies no slot of the load shedder. The key must be valid afterwards.
   * @throws ApiError 503 without reading the body if too many files arrive, 400 if `Content-Digest` has another SHA-256
   */
  async receive(input: Readonly<Record<string, unknown>>): Promise<void> {
    const ctx = this.#ctx;
    const received = { ...requireFileType(ctx, this.#body.formats), input, address: ctx.ip };
    const release = uploadSlots.acquire(this.#session.principal);
    try {
      await this.#suspend?.(async () => {
        const content = readSlowly(ctx, this.#maxBytes);
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
