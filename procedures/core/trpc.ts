import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMiddlewareFunction, TRPCUnsetMarker } from '@trpc/server';
import type { Session } from '../../database/session.ts';
import type { Principal } from '../../entities/principal.ts';
import { redactRawKeys } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Context, Meta } from './context.ts';
import { ERRORS, toApiError } from './errors.ts';
import { requireFramework, requirePermission } from './permissions.ts';
import type { Permission } from './permissions.ts';

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const apiError = toApiError(error);
      const { status, trpcCode } = ERRORS[apiError.reason];
      const path = shape.data.path === undefined ? undefined : redactRawKeys(shape.data.path);
      return {
        message: apiError.message,
        code: TRPC_ERROR_CODES_BY_KEY[trpcCode],
        data: { code: trpcCode, httpStatus: status, errorCode: apiError.code, path },
      };
    },
  });

export const { router, createCallerFactory } = t;

/** Authorizes a call before its input is validated. Throws an error to reject the call. */
export type Authorize = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<void> | void;

/** Authorization of each authorization middleware. Direct calls run it without tRPC (procedures/core/compile.ts). */
export const authorizations = new WeakMap<object, Authorize>();

/**
 * Creates a procedure builder whose first middleware authorizes the call. The middleware also converts every error to a
 * TRPCError with the code and message of its ApiError, so callers and HTTP clients receive the same error.
 * @typeParam AuthorizedContext context type after the authorization
 */
function authorized<AuthorizedContext extends object>(authorize: Authorize) {
  const middleware: TRPCMiddlewareFunction<Context, Meta, object, AuthorizedContext, TRPCUnsetMarker> = async (
    call,
  ) => {
    try {
      await authorize(call.ctx, call.getRawInput);
      const result = await call.next<AuthorizedContext>({});
      if (result.ok) return result;
      throw result.error;
    } catch (error) {
      const apiError = toApiError(error);
      throw new TRPCError({ code: ERRORS[apiError.reason].trpcCode, message: apiError.message, cause: apiError });
    }
  };
  authorizations.set(middleware, authorize);
  return withAbortableMutations(t.procedure.use(middleware));
}

type Resolver = (call: { ctx: Context }) => unknown;

/** Wraps a procedure builder and all builders derived from it. Their mutations throw `abortBeforeResolver` of the context. */
function withAbortableMutations<Builder extends object>(builder: Builder): Builder {
  return new Proxy(builder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'mutation') return (resolver: Resolver) => Reflect.apply(member, target, [abortable(resolver)]);
      return (...parameters: unknown[]) => {
        const nextBuilder: unknown = Reflect.apply(member, target, parameters);
        return typeof nextBuilder === 'object' && nextBuilder !== null
          ? withAbortableMutations(nextBuilder)
          : nextBuilder;
      };
    },
  });
}

const abortable =
  (resolver: Resolver): Resolver =>
  (call) => {
    if (call.ctx.abortBeforeResolver !== undefined) throw call.ctx.abortBeforeResolver;
    return resolver(call);
  };

interface CompanyContext {
  session: Session;
}

/** Procedure for integrations. Checks the permission of the key before the input is validated, on every transport. */
export const companyProcedure = (permission: Permission) =>
  authorized<CompanyContext>(({ caller, session, address, framework }, getRawInput) => {
    if (caller !== 'apiKey' || !session.hasPrincipal())
      throw new ApiError('forbidden', 'This procedure requires an API key.');
    const { principal } = session;
    requirePermission(principal, permission, address);
    if (principal.frameworks === null) return undefined;
    if (framework !== undefined) return requireFramework(principal, framework);
    return requireNamedFramework(principal, getRawInput);
  }).meta({ permission });

async function requireNamedFramework(principal: Principal, getRawInput: () => Promise<unknown>): Promise<void> {
  const framework = frameworkFromInput(await getRawInput());
  if (framework !== undefined) requireFramework(principal, framework);
}

/** Framework in a tRPC input that is not validated yet. */
function frameworkFromInput(input: unknown): number | undefined {
  const framework: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  return typeof framework === 'number' ? framework : undefined;
}

/** @throws ApiError `forbidden` for an API key */
export function requireOperator({ caller }: Pick<Context, 'caller'>): void {
  if (caller !== 'operator') throw new ApiError('forbidden', 'This procedure requires the operator token.');
}

/** Procedure for the operator that needs no company. */
export const operatorProcedure = authorized<object>(requireOperator);

/** Procedure for the operator within one company. */
export const adminProcedure = authorized<CompanyContext>((ctx) => {
  requireOperator(ctx);
  if (!ctx.session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
});
