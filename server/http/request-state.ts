import type { ErrorCode } from '../../entities/api-error.ts';
import type { Principal } from '../../entities/principal.ts';

/** An API key. */
export interface RequestKey {
  company: number;
  /** uniqueId of the key. */
  key: string;
}

/** Slot of a request in a concurrency limit, which counts the requests of each company. */
export interface RequestSlot {
  /** Counts the request for its company. @throws ApiError 503 if the server is overloaded, and by this company */
  assign(company: number): Promise<never> | undefined;
  release(): void;
  occupy(): void;
}

/** Koa state of a request, available from the first middleware on. */
export interface RequestState {
  requestId: string;
  /** Pattern of the path; undefined until a route matches. */
  route?: string;
  /** Authenticated caller; undefined before authentication, null for the operator without a company. */
  principal?: Pick<Principal, 'company' | 'key' | 'role' | 'user'> | null;
  /** The API key of the request as soon as it is known, also if it is then refused: a disabled or expired one. */
  key?: RequestKey;
  /** Code of the first error of the request. */
  errorCode?: ErrorCode;
  /** uniqueId of the evidence whose file the caller downloads. */
  evidence?: string;
  /** Trace of the request; undefined if tracing is off. */
  traceId?: string;
  /** Slot that the request occupies; undefined if load shedding is off. */
  slot?: RequestSlot;
}
