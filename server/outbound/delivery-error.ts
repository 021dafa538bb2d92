import { ForbiddenUrlError, InvalidResponseError } from './guarded-request.ts';

/** No response to an attempt. The message is for the delivery log: at most 200 characters, and no address of the resolution. */
export class DeliveryError extends Error {}

/** Messages by the code of the error: https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const MESSAGES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EPROTO: 'no TLS connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate: self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate: unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate: unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate: unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate: incomplete chain',
  CERT_HAS_EXPIRED: 'certificate: expired',
  CERT_NOT_YET_VALID: 'certificate: not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate: for another host',
};

/** Messages of other codes. */
const PATTERNS: readonly [pattern: RegExp, message: string][] = [
  [/CERT|SIGNATURE|CRL|CHAIN|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/, 'certificate: invalid'],
  [/^ERR_(?:SSL|TLS)_/, 'no TLS connection'],
  [/^HPE_/, 'no valid HTTP response'],
];

/** Describes the error of a request. */
export function toDeliveryError(cause: unknown): DeliveryError {
  if (cause instanceof ForbiddenUrlError)
    return new DeliveryError(cause.expectation === 'https' ? 'url is not https' : 'address is not public', { cause });
  if (cause instanceof InvalidResponseError) return new DeliveryError('no valid HTTP response', { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known = Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined;
  return new DeliveryError(known ?? PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? 'no response', { cause });
}
