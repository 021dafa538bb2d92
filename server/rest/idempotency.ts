import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { lockIdempotencyKey, findRecord, insertRecord } from '../../entities/idempotency-record/statements.ts';
import type { StoredResponse } from '../../entities/idempotency-record/statements.ts';
import { requireFramework } from '../../procedures/core/permissions.ts';
import type { ResponseTarget } from './response/target.ts';

/** Records a response, so that it can be stored before it is sent. */
export class RecordedResponse implements ResponseTarget {
  status = 204;
  body: unknown = null;
  readonly #headers: Record<string, string> = {};

  set(name: string, value: string): void {
    this.#headers[name] = value;
  }

  toStoredResponse(): StoredResponse {
    const body = typeof this.body === 'string' ? this.body : null;
    return { status: this.status, headers: this.#headers, body };
  }
}

/** A request that the client may retry without a second effect. */
interface IdempotentRequest {
  /** Value of the `Idempotency-Key` header. */
  idempotencyKey: string;
  /** Everything that a retry must repeat unchanged. */
  request: unknown;
  /** Id of the resource in the path, or an empty string. */
  resource: string;
}

interface IdempotentResponse extends StoredResponse {
  isReplay: boolean;
}

/** Each step runs inside the transaction that the idempotency record belongs to. */
interface IdempotencySteps {
  /** Processes a request that has no record. The recorded response may lack a secret that the response has. */
  execute: (transactionSession: Session) => Promise<{ response: StoredResponse; recorded: StoredResponse }>;
  /** Throws if the recorded response must not be returned. */
  beforeReplay: (transactionSession: Session) => Promise<void>;
}

const IN_FLIGHT = new ApiError('idempotency_conflict', 'Idempotency-Key: a request with this key is in progress', {
  retryAfter: 1,
});
const KEY_REUSED = new ApiError('idempotency_key_reused', 'Idempotency-Key: already used for a different request');

/** Requests in progress in this process, to detect a conflict without a connection. A lock detects other processes. */
const inFlight = new Set<string>();

/**
 * Executes a request, or returns the recorded response of its first execution. The change and its idempotency record are
 * committed in one transaction; an error rolls both back. The caller must have checked the permission of the API key.
 * @throws ApiError 409 while the request is in progress, 422 if the key belongs to a different request; errors of a step
 */
export function withIdempotency(
  session: Session,
  { idempotencyKey, request, resource }: IdempotentRequest,
  steps: IdempotencySteps,
): Promise<IdempotentResponse> {
  const record = { keyHash: sha256(idempotencyKey), fingerprint: sha256(canonicalJson(request)), resource };
  return exclusively(session, idempotencyKey, 'request', () => executeOrReplay(session, record, steps));
}

/**
 * Runs a step of a request unless this process runs the same step under the same idempotency key.
 * @throws ApiError 409
 */
export function exclusively<T>(
  { principal: { key, user } }: Session,
  idempotencyKey: string,
  step: 'request' | 'upload',
  work: () => Promise<T>,
): Promise<T> {
  const inFlightKey = `${step} ${key ?? user.uniqueId} ${idempotencyKey}`;
  if (inFlight.has(inFlightKey)) throw IN_FLIGHT;
  inFlight.add(inFlightKey);
  return work().finally(() => inFlight.delete(inFlightKey));
}

/** True if a response is recorded under an idempotency key, for any request. */
export async function hasRecord(session: Session, idempotencyKey: string): Promise<boolean> {
  const record = { keyHash: sha256(idempotencyKey), fingerprint: Buffer.alloc(0), resource: '' };
  return (await session.first(findRecord, record)) !== undefined;
}

function executeOrReplay(
  session: Session,
  record: { keyHash: Buffer; fingerprint: Buffer; resource: string },
  { execute, beforeReplay }: IdempotencySteps,
): Promise<IdempotentResponse> {
  return session.transaction(async (transactionSession) => {
    if (!(await transactionSession.one(lockIdempotencyKey, record)).acquired) throw IN_FLIGHT;
    const existing = await transactionSession.first(findRecord, record);
    if (existing !== undefined) {
      const { sameRequest, framework, ...response } = existing;
      // The key may have lost this framework since. A framework in the path has been checked already.
      if (framework !== null) requireFramework(session.principal, framework);
      await beforeReplay(transactionSession);
      if (!sameRequest) throw KEY_REUSED;
      return { ...response, isReplay: true };
    }
    const { response, recorded } = await execute(transactionSession);
    await transactionSession.run(insertRecord, { ...record, ...recorded });
    return { ...response, isReplay: false };
  });
}

/** Sends a new or a replayed response. */
export function sendIdempotentResponse(ctx: Context, { status, headers, body, isReplay }: IdempotentResponse): void {
  ctx.set(headers);
  ctx.body = body;
  ctx.status = status; // after the body: Koa sets 204 for null
  if (isReplay) ctx.set('Idempotency-Replayed', 'true');
}

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** Serializes a value as JSON with sorted object fields, so that their order does not affect the fingerprint. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
