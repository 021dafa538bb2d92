import type { AttemptResult, SentRequest } from '../../faults/workload/operation-log.ts';

/** A request of the load. It is repeated with the same `Idempotency-Key` until its outcome is known. */
export interface LoadRequest extends SentRequest {
  /** True if other clients change the same resource, so that `If-Match` may fail. */
  isContended: boolean;
}

export interface Attempt extends AttemptResult {
  /** Value of `X-Error-Code`. */
  code: string | undefined;
  hasRetryAfter: boolean;
}

/** A request and its attempts, in order. */
export interface LoadOperation {
  request: LoadRequest;
  attempts: Attempt[];
}

/**
 * A read of a resource that only the reading key changes, which must show the last acknowledged change; or a repeated write, which
 * must have the response of the first time.
 */
export interface OwnRead {
  operationId: string;
  expected: string;
  /** Undefined if the resource is not there. */
  seen: string | undefined;
}

/** An event in the change feed. */
export interface FeedItem {
  sequence: number;
  requestId: string;
}

/** Everything that the clients of a round sent and saw. */
export interface History {
  operations: LoadOperation[];
  ownReads: OwnRead[];
  /** Items that a follower of the change feed received, by company. */
  feeds: Map<number, FeedItem[]>;
}

/** Id of the operation of a request id: each attempt has a number. */
export const operationOf = (requestId: string): string => requestId.replace(/\.\d+$/, '');
