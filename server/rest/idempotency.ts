import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { lockIdempotencyKey, findRecord, insertRecord } from '../../entities/statements/idempotency-record.ts';
import type { StoredResponse } from '../../entities/statements/idempotency-record.ts';
import { requireFramework } from '../../procedures/core/permissions.ts';
import type { ResponseTarget } from './response.ts';

/** A reply that is kept before it is sent. */
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

/** A request that its sender may repeat without it being carried out again. */
interface IdempotentRequest {
  /** `Idempotency-Key`. */
  idempotencyKey: string;
  /** All that makes it this request and no other. */
  request: unknown;
  /** The id that its path names, or the empty text. */
  resource: string;
}

/** An answer, and whether it was given before. */
interface IdempotentResponse extends StoredResponse {
  isReplay: boolean;
}

/** Each step runs inside the transaction that the idempotency record belongs to. */
interface IdempotencySteps {
  /** Processes a request that has no record. */
  execute: (transactionSession: Session) => Promise<StoredResponse>;
  /** Throws if the recorded response must not be returned. */
  beforeReplay: (transactionSession: Session) => Promise<void>;
}

const IN_FLIGHT = new ApiError('idempotency_conflict', 'Idempotency-Key: a request with it is being carried out', {
  retryAfter: 1,
});
const KEY_REUSED = new ApiError('idempotency_key_reused', 'Idempotency-Key: was used for another request');

/** What this process carries out now: told without a connection. Of other processes the database knows. */
const inFlight = new Set<string>();

/**
 * Carries a request out, or answers as it was answered before: what it changes and its answer are committed together, and
 * of what is refused nothing stays. The key's right to the operation must have been checked.
 * @throws Refusal 409 while it is being carried out, 422 where another request had the name, and what a step throws
 */
export function withIdempotency(
  session: Session,
  { idempotencyKey, request, resource }: IdempotentRequest,
  steps: IdempotencySteps,
): Promise<IdempotentResponse> {
  const record = { keyHash: sha256(idempotencyKey), fingerprint: sha256(canonicalJson(request)), resource };
  const inFlightKey = `${session.principal.key} ${record.keyHash.toString('hex')}`;
  if (inFlight.has(inFlightKey)) throw IN_FLIGHT;
  inFlight.add(inFlightKey);
  return executeOrReplay(session, record, steps).finally(() => inFlight.delete(inFlightKey));
}

function executeOrReplay(
  session: Session,
  record: { keyHash: Buffer; fingerprint: Buffer; resource: string },
  { execute, beforeReplay }: IdempotencySteps,
): Promise<IdempotentResponse> {
  return session.transaction(async (inside) => {
    if (!(await inside.one(lockIdempotencyKey, record)).acquired) throw IN_FLIGHT;
    const existing = await inside.first(findRecord, record);
    if (existing !== undefined) {
      const { sameRequest: same, framework, ...answer } = existing;
      // Its list of frameworks may be shorter by now; a path that names one has been checked like any.
      if (framework !== null) requireFramework(session.principal, framework);
      await beforeReplay(inside);
      if (!same) throw KEY_REUSED;
      return { ...answer, isReplay: true };
    }
    const answer = await execute(inside);
    await inside.run(insertRecord, { ...record, ...answer });
    return { ...answer, isReplay: false };
  });
}

/** Sends an answer, be it a new one or one that is given again. */
export function sendIdempotentResponse(ctx: Context, { status, headers, body, isReplay }: IdempotentResponse): void {
  ctx.status = status;
  ctx.set(headers);
  if (isReplay) ctx.set('Idempotency-Replayed', 'true');
  if (body !== null) ctx.body = body;
}

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** JSON in which the order of an object's fields does not show. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
