import type { ParameterizedContext } from 'koa';
import type { Session } from '../../../database/session.ts';
import type { Context, Upload } from '../../../procedures/core/context.ts';
import type { FileBody } from '../../../procedures/core/declaration/meta.ts';
import type { Services } from '../../../procedures/core/services.ts';
import { requireLengthWithin } from '../../http/body/json-body.ts';
import { readSlowly } from '../../http/body/slow-uploads.ts';
import type { RequestState } from '../../http/request-state.ts';
import type { Route } from '../route.ts';
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

  /** Part of the fingerprint of an idempotent request. */
  get fingerprint(): object {
    const { formats } = this.#body;
    const { format, mediaType } = requireFileType(this.#ctx, formats);
    return { file: this.file?.sha256, ...(formats === 'any' ? { mediaType } : { format }) };
  }

  /** @throws ApiError 415 or 413, as far as the headers show it */
  checkHeaders(): void {
    requireFileType(this.#ctx, this.#body.formats);
    requireLengthWithin(this.#ctx, this.#body.maxBytes(this.#services));
  }

  /** Stores the body. Meanwhile the request occupies no slot of the load shedder. The key must be valid afterwards. */
  async receive(input: Readonly<Record<string, unknown>>): Promise<void> {
    const ctx = this.#ctx;
    const received = { ...requireFileType(ctx, this.#body.formats), input, address: ctx.ip };
    await this.#suspend?.(async () => {
      this.file = await this.#body.store(this.#session, received, readSlowly(ctx), this.#services);
    });
  }

  /** Deletes the file unless it is in use. */
  async discard(): Promise<void> {
    if (this.file !== undefined) await this.#body.discard(this.#session, this.file, this.#services);
  }
}
