import type { IncomingHttpHeaders } from 'node:http';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import type { Context } from '../../procedures/core/context.ts';

/** Credentials and connection details of a request. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** Client address; null without a network connection. */
  address: string | null;
  requestId: string;
  /** Returns the origin that the request was sent to; undefined where no cookie is accepted. */
  requestOrigin?: () => string;
  /** True for a safe method (RFC 9110), which a replica may serve. */
  readOnly?: boolean;
}

/** Context of an authenticated request, and warning headers for the response. */
export interface AuthenticationResult {
  context: Context;
  headers: Record<string, string>;
}

export type Authenticate = (credentials: Credentials) => Promise<AuthenticationResult>;

/** Returns the time that a request has left for database work, after its authentication. */
export const remainingMs = (startedAt: number) => TIMEOUTS_MS.request - (performance.now() - startedAt);
