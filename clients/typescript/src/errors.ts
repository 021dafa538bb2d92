import type { components } from './api.ts';
import type { Import } from './types.ts';

/** Codes of `X-Error-Code`. A later server may send others. */
export type ErrorCode = components['schemas']['Problem']['code'] | (string & Record<never, never>);

/** An error response. `code` names the reason for programs; `message` names the field for people. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Value of `X-Error-Code`, for example `not_found`; `unknown` without this header. */
  readonly code: ErrorCode;
  /** Value of `X-Request-Id`, which is in the log of the server; null without this header. */
  readonly requestId: string | null;

  constructor({ status, headers }: Response, message: string) {
    super(message);
    this.status = status;
    this.code = headers.get('X-Error-Code') ?? 'unknown';
    this.requestId = headers.get('X-Request-Id');
  }
}

/** Status 410 with the code `cursor_lost`: the server was restored from a backup that is older than the cursor. Load everything again. */
export class CursorLostError extends ApiError {
  override readonly name = 'CursorLostError';
}

/** No response before the deadline, after all retries. `cause` is the last network error or timeout. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** A chunk of a batch failed as a whole; `cause` is its error. Chunks after it were not sent. */
export class BatchError<Result = unknown> extends Error {
  override readonly name = 'BatchError';
  /** Results of the items before the chunk. The server has applied them. */
  readonly results: readonly Result[];

  constructor(results: readonly Result[], cause: unknown) {
    super(`items from ${results.length}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.results = results;
  }
}

/** An import ended as `failed` or `canceled`. `message` is the reason. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** The import with its counts, and its errors by row. */
  readonly import: Import;

  constructor(ended: Import) {
    super(ended.reason ?? ended.state);
    this.import = ended;
  }
}

/** The signature, timestamp or a header of a webhook is not valid. Respond 400, and ignore the body. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Returns the body of a successful call of `rest`. @throws ApiError for an error response */
export async function unwrap<Data>(call: Promise<RestResult<Data>>): Promise<Data> {
  const result = await call;
  if (!result.response.ok || result.error !== undefined) throw errorOf(result.response, result.error);
  return result.data;
}

/** Result of a call of `rest`. */
export type RestResult<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: object; response: Response };

/** Makes the error of a response with this JSON body. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { error }: { error?: unknown } = Object(body);
  const message = typeof error === 'string' ? error : `unexpected status ${response.status}`;
  const isCursorLost = response.headers.get('X-Error-Code') === 'cursor_lost';
  return isCursorLost ? new CursorLostError(response, message) : new ApiError(response, message);
}
