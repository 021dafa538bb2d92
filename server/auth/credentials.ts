import type { IncomingHttpHeaders } from 'node:http';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { isLikeRawKey } from '../../entities/api-key/raw-key.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { RequestKey } from '../http/request-state.ts';

/** Credentials and connection details of a request. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** Client address; null without a network connection. */
  address: string | null;
  requestId: string;
  /** Returns the origin that the request was sent to; undefined where no cookie is accepted. */
  requestOrigin?: () => string;
  /** Called with the key as soon as it is known, also if it is then refused. */
  onKey?: (key: RequestKey) => void;
  /** True for a safe method (RFC 9110), which a replica may serve. */
  readOnly?: boolean;
}

/** Context of an authenticated request, and warning headers for the response. */
export interface AuthenticationResult {
  context: Context;
  headers: Record<string, string>;
}

export type Authenticate = (credentials: Credentials) => Promise<AuthenticationResult>;

/** The token of `Authorization: Bearer`. */
export const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization)?.[1];

/** The API key that a request presents, and the header with it. */
export interface PresentedKey {
  header: 'X-API-Key' | 'Authorization';
  /** Empty for an `Authorization` of another scheme, and for a header that is sent twice. */
  rawKey: string;
}

/** Reads the API key of a request; undefined without credentials. `X-API-Key` decides, because gateways add bearer tokens of their own. */
export function presentedKey(headers: IncomingHttpHeaders): PresentedKey | undefined {
  const { 'x-api-key': rawKey, authorization } = headers;
  if (rawKey !== undefined) return { header: 'X-API-Key', rawKey: typeof rawKey === 'string' ? rawKey : '' };
  return authorization === undefined ? undefined : { header: 'Authorization', rawKey: bearerToken(headers) ?? '' };
}

/** True if a bearer token is another API key than `X-API-Key`. */
export function hasTwoKeys(headers: IncomingHttpHeaders): boolean {
  const { 'x-api-key': rawKey } = headers;
  const token = bearerToken(headers);
  return rawKey !== undefined && token !== undefined && token !== rawKey && isLikeRawKey(token);
}

/** Returns the time that a request has left for database work, after its authentication. */
export const remainingMs = (startedAt: number) => TIMEOUTS_MS.request - (performance.now() - startedAt);
