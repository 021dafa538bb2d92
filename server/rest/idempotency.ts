import { hash } from 'node:crypto';
import type { Context as KoaContext } from 'koa';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { lockIdempotencyKey, findRecord, insertRecord } from '../../entities/idempotency-record/idempotency-record.ts';
import type { StoredResponse } from '../../entities/idempotency-record/idempotency-record.ts';
import { requireFramework, requireScopes } from '../../procedures/core/permissions.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import type { Context } from '../../procedures/core/context.ts';
import type { ResponseTarget } from './response/target.ts';
import type { Exchange } from './exchange.ts';
import { jsonOf } from './route.ts';

/** Records a response, so that it can be stored before it is sent. */
class RecordedResponse implements ResponseTarget {
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
function withIdempotency(
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
function exclusively<T>(
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
async function hasRecord(session: Session, idempotencyKey: string): Promise<boolean> {
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
function sendIdempotentResponse(ctx: KoaContext, { status, headers, body, isReplay }: IdempotentResponse): void {
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

type WriteResponse = (target: ResponseTarget, output: unknown) => void;

const RESOLVER_REACHED = new ApiError('internal', 'The resolver was reached.');

/**
 * Runs the authorization, the input schema and the middlewares of a procedure, but not its resolver.
 * @throws the errors of these steps, and Error if the procedure returns a result without reaching its resolver
 */
async function runMiddlewares(exchange: Exchange, context: Context): Promise<void> {
  try {
    await exchange.callProcedure({ ...context, abortBeforeResolver: RESOLVER_REACHED });
  } catch (error) {
    if (error === RESOLVER_REACHED) return;
    throw error;
  }
  throw new Error('A procedure returned a result without reaching its resolver');
}

/**
 * Responds to a request with an `Idempotency-Key`. The permissions of the API key are checked before any replay.
 * @param write writes the output of the procedure
 */
export async function respondIdempotently(exchange: Exchange, write: WriteResponse): Promise<void> {
  const { ctx, route, context, framework, requestHeaders, services, upload, getInput } = exchange;
  const { session, address } = context;
  if (!session.hasPrincipal() || route.scopes === undefined)
    throw new Error(`${route.procedure}: Idempotency-Key needs a principal and scopes`);
  requireScopes(session.principal, route.scopes, address);
  if (framework !== undefined) requireFramework(session.principal, framework);
  // A frozen company only replays. Without a record the request is rejected before its body is read.
  if (session.principal.isFrozen === true && !(await hasRecord(session, requestHeaders.idempotencyKey ?? '')))
    throw new FrozenError();
  // A retry while the first file is still arriving gets its 409 before it sends the file.
  const input = await (upload === undefined
    ? getInput()
    : exclusively(session, requestHeaders.idempotencyKey ?? '', 'upload', getInput));
  if (!(await route.isValidInput(input))) await runMiddlewares(exchange, context); // throws the validation error
  if (services !== undefined) await route.beforeTransaction?.(services, input);
  const { idempotencyKey = '', ifMatch, mustExist, createOnly, prefer } = requestHeaders;
  const [id = ''] = route.pathParameters;
  const headerConditions = { ifMatch, prefer, ...(mustExist && { mustExist }), ...(createOnly && { createOnly }) };
  const conditions = { ...headerConditions, ...upload?.fingerprint };
  // The procedure itself checks the rights for each item of its input. A key whose rights changed gets no recorded results.
  const { scopes, frameworks } = session.principal;
  const rights = route.scopes.length === 0 ? { scopes, frameworks } : undefined;
  const request = { operation: `${route.method} ${route.template}`, input, ...conditions, rights };
  const sent = await withIdempotency(
    session,
    { idempotencyKey, request, resource: String(input[id]) },
    {
      execute: async (transactionSession) => {
        const output = await exchange.callProcedure({ ...context, session: transactionSession });
        const response = toStored(output, write);
        const secretField = jsonOf(route)?.secretField;
        const recorded = secretField === undefined ? response : toStored(withoutField(output, secretField), write);
        return { response, recorded };
      },
      beforeReplay: (transactionSession) => runMiddlewares(exchange, { ...context, session: transactionSession }),
    },
  );
  sendIdempotentResponse(ctx, sent);
}

function toStored(output: unknown, write: WriteResponse): StoredResponse {
  const target = new RecordedResponse();
  write(target, output);
  return target.toStoredResponse();
}

/** Copies an object without a field. */
const withoutField = (output: unknown, name: string): object =>
  Object.fromEntries(Object.entries(Object(output)).filter(([field]) => field !== name));
