/** Machine-readable reasons, as the header `X-Error-Code` gives them. Contract, section 2. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'key_disabled'
  | 'key_expired'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'conflict'
  | 'unprocessable'
  | 'internal'
  | 'unavailable';

/** A request that is not carried out: the message is for the caller and names the field, the cause is for the log. */
export class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
  }
}

/** One answer for what is not there, is another company's, or could not be an id at all. */
export const notFound = (what: string) => new Refusal('not_found', `${what}: not found`);
