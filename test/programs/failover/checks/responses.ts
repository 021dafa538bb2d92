import { finalOutcome } from '../../faults/workload/operation-log.ts';
import type { Attempt, LoadOperation } from '../workload/history.ts';

/** Kind of a response: the load itself provokes 412 by concurrent changes, and 409 by repetitions. */
type Kind = 'success' | 'unavailable' | 'provoked' | 'misdirected' | 'wrong';

export interface Responses {
  success: number;
  /** 503 with `Retry-After`. */
  unavailable: number;
  /** 412 of a resource that several clients change, and 409 while the first attempt is still running. */
  provoked: number;
  /** 421 for a company that moves between cells. */
  misdirected: number;
  /** All others, and writes that were never acknowledged. */
  wrong: string[];
}

function isSuccess({ status }: Pick<Attempt, 'status'>): boolean {
  return typeof status === 'number' && status >= 200 && status < 300;
}

function kindOf({ request }: LoadOperation, attempt: Attempt, moving?: number): Kind {
  const { status, code, hasRetryAfter } = attempt;
  if (isSuccess(attempt)) return 'success';
  if (status === 503 && hasRetryAfter) return 'unavailable';
  if (status === 412 && request.isContended) return 'provoked';
  if (status === 409 && code === 'idempotency_conflict' && attempt.attempt > 1) return 'provoked';
  if (status === 421 && request.company === moving) return 'misdirected';
  return 'wrong';
}

/** Counts the responses by kind. @param moving a company that moves between cells */
export function countResponses(operations: readonly LoadOperation[], moving?: number): Responses {
  const responses: Responses = { success: 0, unavailable: 0, provoked: 0, misdirected: 0, wrong: [] };
  for (const operation of operations) {
    const { operationId, method, path, action } = operation.request;
    for (const attempt of operation.attempts) {
      const kind = kindOf(operation, attempt, moving);
      if (kind === 'wrong')
        responses.wrong.push(`${operationId}: ${method} ${path}: ${attempt.status} ${attempt.code ?? ''}`);
      else responses[kind] += 1;
    }
    if (action !== 'read' && finalOutcome(operation) === 'unknown')
      responses.wrong.push(`${operationId}: ${method} ${path}: is never acknowledged`);
  }
  return responses;
}

/** An attempt that was unavailable or wrong has failed. */
export const hasFailed = (operation: LoadOperation, attempt: Attempt): boolean =>
  ['unavailable', 'wrong'].includes(kindOf(operation, attempt));
