import type { Principal } from '../../entities/principal.ts';

/** Koa state of a request, available from the first middleware on. */
export interface RequestState {
  requestId: string;
  /** Pattern of the path; undefined until a route matches. */
  route?: string;
  /** Authenticated caller; undefined before authentication, null for the operator without a company. */
  principal?: Pick<Principal, 'company' | 'key' | 'role' | 'user'> | null;
  /** Trace of the request; undefined if tracing is off. */
  traceId?: string;
  /** Concurrency limit in which the request occupies a slot; undefined if load shedding is off. */
  slot?: { inUse: number };
}
