import { ApiError } from '../../entities/api-error.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import type { StoredResponse } from '../../entities/idempotency-record/statements.ts';
import type { Context } from '../../procedures/core/context.ts';
import { requireFramework, requireScopes } from '../../procedures/core/permissions.ts';
import type { Exchange } from './exchange.ts';
import { RecordedResponse, exclusively, hasRecord, sendIdempotentResponse, withIdempotency } from './idempotency.ts';
import type { ResponseTarget } from './response/target.ts';
import { jsonOf } from './route.ts';

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
        const response = record(output, write);
        const secretField = jsonOf(route)?.secretField;
        const recorded = secretField === undefined ? response : record(withoutField(output, secretField), write);
        return { response, recorded };
      },
      beforeReplay: (transactionSession) => runMiddlewares(exchange, { ...context, session: transactionSession }),
    },
  );
  sendIdempotentResponse(ctx, sent);
}

function record(output: unknown, write: WriteResponse): StoredResponse {
  const target = new RecordedResponse();
  write(target, output);
  return target.toStoredResponse();
}

/** Copies an object without a field. */
const withoutField = (output: unknown, name: string): object =>
  Object.fromEntries(Object.entries(Object(output)).filter(([field]) => field !== name));
