import type { Context as KoaContext } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import type { Context } from '../../procedures/core/context.ts';
import { requireFramework, requireScopes } from '../../procedures/core/permissions.ts';
import type { FileUpload } from './file-upload.ts';
import { RecordedResponse, exclusively, sendIdempotentResponse, withIdempotency } from './idempotency.ts';
import type { RawInput } from './input.ts';
import type { RequestHeaders } from './request-headers.ts';
import { withoutField, writeResponse } from './response.ts';
import type { Route } from './routes.ts';

type CallProcedure = (callContext: Context, getRawInput: () => Promise<RawInput>) => Promise<unknown>;

interface ProcedureCall {
  context: Context;
  getInput: () => Promise<RawInput>;
  call: CallProcedure;
  upload: FileUpload | undefined;
}

const RESOLVER_REACHED = new ApiError('internal', 'The resolver was reached.');

/**
 * Runs the authorization, the input schema and the middlewares of a procedure, but not its resolver.
 * @throws the errors of these steps, and Error if the procedure returns a result without reaching its resolver
 */
async function runMiddlewares(
  call: CallProcedure,
  callContext: Context,
  getInput: () => Promise<RawInput>,
): Promise<void> {
  try {
    await call({ ...callContext, abortBeforeResolver: RESOLVER_REACHED }, getInput);
  } catch (error) {
    if (error === RESOLVER_REACHED) return;
    throw error;
  }
  throw new Error('A procedure returned a result without reaching its resolver');
}

/** Responds to a request with an `Idempotency-Key`. The permissions of the API key are checked before any replay. */
export async function respondIdempotently(
  ctx: KoaContext,
  route: Route,
  framework: number | undefined,
  requestHeaders: RequestHeaders,
  { context, getInput, call, upload }: ProcedureCall,
): Promise<void> {
  const { session, address } = context;
  if (!session.hasPrincipal() || route.scopes === undefined)
    throw new Error(`${route.procedure}: Idempotency-Key needs a principal and scopes`);
  requireScopes(session.principal, route.scopes, address);
  if (framework !== undefined) requireFramework(session.principal, framework);
  // A retry while the first file is still arriving gets its 409 before it sends the file.
  const input = await (upload === undefined
    ? getInput()
    : exclusively(session, requestHeaders.idempotencyKey ?? '', 'upload', getInput));
  if (!(await route.isValidInput(input))) await runMiddlewares(call, context, getInput); // throws the validation error
  if (context.services !== undefined) await route.beforeTransaction?.(context.services, input);
  const { idempotencyKey = '', ifMatch, mustExist, createOnly, prefer } = requestHeaders;
  const [id = ''] = route.pathParameters;
  const headerConditions = { ifMatch, prefer, ...(mustExist && { mustExist }), ...(createOnly && { createOnly }) };
  const conditions = { ...headerConditions, ...upload?.fingerprint };
  // The procedure itself checks the rights for each item of its input. A key whose rights changed gets no recorded results.
  const { scopes, frameworks } = session.principal;
  const rights = route.scopes.length === 0 ? { scopes, frameworks } : undefined;
  const request = { operation: `${route.method} ${route.template}`, input, ...conditions, rights };
  const response = await withIdempotency(
    session,
    { idempotencyKey, request, resource: String(input[id]) },
    {
      execute: async (transactionSession) => {
        const output = await call({ ...context, session: transactionSession }, getInput);
        const respondWith = (shown: unknown) => {
          const target = new RecordedResponse();
          writeResponse(target, ctx, route, shown, requestHeaders);
          return target.toStoredResponse();
        };
        const complete = respondWith(output);
        const { secretField } = route;
        const recorded = secretField === undefined ? complete : respondWith(withoutField(output, secretField));
        return { response: complete, recorded };
      },
      beforeReplay: (transactionSession) => runMiddlewares(call, { ...context, session: transactionSession }, getInput),
    },
  );
  sendIdempotentResponse(ctx, response);
}
