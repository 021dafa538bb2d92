import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../../../procedures/index.ts';

/** An error response of the routes below `/session`. */
export class SessionError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor(message: string, { status, headers }: Response) {
    super(message);
    this.status = status;
    this.code = headers.get('X-Error-Code') ?? 'internal';
    this.requestId = headers.get('X-Request-Id') ?? undefined;
  }
}

/** The error of a response with `{error}`. @param text its body */
export function responseError(text: string, response: Response): SessionError {
  try {
    const body: { error?: string } = JSON.parse(text);
    return new SessionError(body.error ?? response.statusText, response);
  } catch {
    return new SessionError(response.statusText, response);
  }
}

/** An error in the input that a page finds itself: `framework: choose a framework`. */
export class InputError extends Error {}

export interface ErrorDetails {
  message: string;
  /** HTTP status; undefined if no response arrived. */
  status: number | undefined;
  /** Value of `X-Error-Code`. */
  code: string | undefined;
  requestId: string | undefined;
}

const isTrpcError = (error: unknown): error is TRPCClientError<AppRouter> => error instanceof TRPCClientError;

/** Details of an error of tRPC, of a route below `/session`, or of the application. */
export function errorDetails(error: unknown): ErrorDetails {
  if (error instanceof SessionError) {
    const { message, status, code, requestId } = error;
    return { message, status, code, requestId };
  }
  if (error instanceof InputError)
    return { message: error.message, status: 400, code: 'invalid_request', requestId: undefined };
  if (!isTrpcError(error)) return unexpected(error);
  const { data, message, meta } = error;
  if (data === undefined || data === null) return UNREACHABLE;
  const response = meta?.['response'];
  const requestId = response instanceof Response ? response.headers.get('X-Request-Id') : null;
  return { message, status: data.httpStatus, code: data.errorCode, requestId: requestId ?? undefined };
}

const UNREACHABLE: ErrorDetails = {
  message: 'The server cannot be reached. Check the connection and try again.',
  status: undefined,
  code: undefined,
  requestId: undefined,
};

/** `fetch` throws a TypeError if no response arrives. */
const unexpected = (error: unknown): ErrorDetails =>
  error instanceof TypeError
    ? UNREACHABLE
    : { ...UNREACHABLE, message: error instanceof Error ? error.message : 'Something unexpected happened.' };

/** A text as a sentence: with a capital and a full stop. */
export function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}

/** Words in place of the codes of statuses: "not applicable" for `not_applicable`. */
export const withoutCodes = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (code) => code.replaceAll('_', ' '));

/** The path of a field, also of one that the form does not have. */
const PATH = /^[a-z][\w.]*$/;
const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

/** Splits a message of the server, `field: text; field: text`, into messages by field. The rest has the key ''. */
export function fieldErrors({ message, status }: ErrorDetails, fields: readonly string[]): Record<string, string> {
  const errors: Record<string, string> = {};
  const isAboutInput = status === 400 || status === 409 || status === 422;
  let key = '';
  for (const part of isAboutInput ? message.split('; ') : [message]) {
    const [path = '', text] = part.split(/: (.*)/s);
    const field = isAboutInput && text !== undefined ? fields.find((name) => isWithin(path, name)) : undefined;
    // A part without a path continues the one before: "email: is taken; choose another one".
    if (field !== undefined) key = field;
    else if (text !== undefined && PATH.test(path)) key = '';
    const line = sentence(field === undefined || text === undefined ? part : text);
    errors[key] = errors[key] === undefined ? line : `${errors[key]} ${line}`;
  }
  return errors;
}
