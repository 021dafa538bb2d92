import { valuesOf } from './s3-xml.ts';

/** A response with an error. The message has neither the body, which repeats the request, nor a header. */
export class S3ResponseError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(method: string, status: number, body: string) {
    const code = valuesOf(body, 'Code').find((text) => /^\w{1,64}$/.test(text)) ?? '';
    super(`S3: ${method}: ${status} ${code}`.trimEnd());
    this.status = status;
    this.code = code;
  }

  /** True if the object does not exist, or has no byte in the range. Without a code, the path may be none of an S3 server. */
  get isMissing(): boolean {
    return (this.status === 404 && this.code === 'NoSuchKey') || this.status === 416;
  }
}

/** A request that was given up. */
export class S3TimeoutError extends Error {}

/** True for a response that another attempt may change, and for a lost connection. */
export function isTransient(error: unknown): boolean {
  if (error instanceof S3ResponseError) return error.status >= 500;
  return error instanceof Error && 'code' in error && CONNECTION_ERRORS.has(String(error.code));
}

const CONNECTION_ERRORS = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
