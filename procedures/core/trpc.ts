import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMiddlewareFunction, TRPCUnsetMarker } from '@trpc/server';
import type { Session } from '../../database/session.ts';
import type { Principal } from '../../entities/principal.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Caller, Context, WebSession } from './context.ts';
import type { Meta } from './meta.ts';
import { ERRORS, toApiError } from './errors.ts';
import { requireFramework, requireScopes, scopesOf } from './permissions.ts';
import type { Permission } from './permissions.ts';

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const apiError = toApiError(error);
      const { status, trpcCode } = ERRORS[apiError.reason];
      const path = shape.data.path === undefined ? undefined : redactSecrets(shape.data.path);
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
interface MemberContext extends CompanyContext {
  webSession: WebSession;
}

const CALLER_NAMES: Readonly<Record<Caller, string>> = {
  apiKey: 'an API key',
  member: 'a signed-in member',
  operator: 'the operator token',
};

/** @throws ApiError `forbidden` for a caller of another type */
function requireCaller({ caller }: Pick<Context, 'caller'>, callers: readonly Caller[]): void {
  if (callers.includes(caller)) return;
  const expected = callers.map((name) => CALLER_NAMES[name]).join(' or ');
  throw new ApiError('forbidden', `This procedure requires ${expected}.`);
}

/**
 * Declares the callers that a procedure admits, and the scopes that they need. It checks them before the input is validated, on every
 * transport. The operator has every scope of its company.
 * @param check throws an error for further callers that the procedure rejects
 * @typeParam AuthorizedContext context type after the authorization
 */
function admit<AuthorizedContext extends object>(
  callers: readonly Caller[],
  permission: Permission,
  check: (ctx: Context) => void = () => {},
) {
  const scopes = scopesOf(permission);
  return authorized<AuthorizedContext>((ctx, getRawInput) => {
    requireCaller(ctx, callers);
    check(ctx);
    const { session, address, framework } = ctx;
    if (!session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
    const { principal } = session;
    requireScopes(principal, scopes, address);
    if (principal.frameworks === null) return undefined;
    if (framework !== undefined) return requireFramework(principal, framework);
    return requireNamedFramework(principal, getRawInput);
  }).meta({ callers, scopes });
}

/** Procedure for integrations and members. */
export const companyProcedure = (...permission: Permission) => admit<CompanyContext>(['apiKey', 'member'], permission);

/** Procedure for integrations only. */
export const apiKeyProcedure = admit<CompanyContext>(['apiKey'], ['any scope']);

/** Procedure for members and the operator, in one company. */
export const managementProcedure = (...permission: Permission) =>
  admit<CompanyContext>(['member', 'operator'], permission);

/** Procedure for the own account of a member of any role. */
export const accountProcedure = admit<MemberContext>(['member'], ['any scope']);

/**
 * Procedure for the ways in which a member signs in. A session of single sign-on cannot change them: the identity provider
 * of one company would otherwise reach the other companies of the person.
 */
export const credentialProcedure = admit<MemberContext>(['member'], ['any scope'], ({ webSession }) => {
  if (webSession?.singleSignOn === true)
    throw new ApiError('forbidden', 'Single sign-on: sign in with your password to change how you sign in.');
});

/** Procedure for the operator in one company. */
export const operatorCompanyProcedure = admit<CompanyContext>(['operator'], ['any scope']);

/** Procedure for the operator that needs no company. */
export const operatorProcedure = authorized<object>(requireOperator).meta({ callers: ['operator'] });

async function requireNamedFramework(principal: Principal, getRawInput: () => Promise<unknown>): Promise<void> {
  const framework = frameworkFromInput(await getRawInput());
  if (framework !== undefined) requireFramework(principal, framework);
}

/** Framework in a tRPC input that is not validated yet. */
function frameworkFromInput(input: unknown): number | undefined {
  const framework: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  return typeof framework === 'number' ? framework : undefined;
}

/** @throws ApiError `forbidden` for an API key or a member */
export function requireOperator(ctx: Pick<Context, 'caller'>): void {
  requireCaller(ctx, ['operator']);
}
