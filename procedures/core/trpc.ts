import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import type { Principal } from '../../entities/principal.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Caller, Context, WebSession } from './context.ts';
import type { Meta } from './meta.ts';
import { recordDeclaration } from './compile.ts';
import type { AnyResolver, Authorize } from './compile.ts';
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

/** Types of a procedure for clients. */
interface ClientTypes<Input, Output> {
  input: Input;
  output: Output;
  meta: Meta;
  errorShape: (typeof t)['_config']['$types']['errorShape'];
}

type Resolver<AuthorizedContext, Parsed, Result> = (call: {
  ctx: Omit<Context, keyof AuthorizedContext> & AuthorizedContext;
  input: Parsed;
}) => Result | Promise<Result>;

/**
 * Declares a procedure: metadata, one input schema, one output schema and the resolver, in this order. A direct call
 * (`compile.ts`) runs these and the authorization, so there are no further middlewares.
 */
interface ProcedureBuilder<AuthorizedContext> {
  meta(meta: Meta): ProcedureBuilder<AuthorizedContext>;
  input<Parsed, Input>(
    schema: z.ZodType<Parsed, Input>,
  ): {
    output<Output, Result>(
      schema: z.ZodType<Output, Result>,
    ): {
      query(resolver: Resolver<AuthorizedContext, Parsed, Result>): TRPCQueryProcedure<ClientTypes<Input, Output>>;
      mutation(
        resolver: Resolver<AuthorizedContext, Parsed, Result>,
      ): TRPCMutationProcedure<ClientTypes<Input, Output>>;
    };
  };
}

/**
 * Creates a procedure builder whose first middleware authorizes the call. The middleware also converts every error to a
 * TRPCError with the code and message of its ApiError, so callers and HTTP clients receive the same error. Mutations throw
 * `abortBeforeResolver` of the context.
 * @typeParam AuthorizedContext context type after the authorization
 */
function authorized<AuthorizedContext>(authorize: Authorize, meta: Meta): ProcedureBuilder<AuthorizedContext> {
  const authorization = t.procedure.use(async ({ ctx, getRawInput, next }) => {
    try {
      await authorize(ctx, getRawInput);
      const result = await next();
      if (result.ok) return result;
      throw result.error;
    } catch (error) {
      const apiError = toApiError(error);
      throw new TRPCError({ code: ERRORS[apiError.reason].trpcCode, message: apiError.message, cause: apiError });
    }
  });
  const builder: object = {
    meta: (further: Meta) => authorized<AuthorizedContext>(authorize, { ...meta, ...further }),
    input: (input: z.ZodType) => ({
      output: (output: z.ZodType) => {
        const declared = authorization.meta(meta).input(input).output(output);
        const parts = { authorize, meta, input, output };
        return {
          query: (resolver: AnyResolver) =>
            recordDeclaration(declared.query(resolver), { ...parts, type: 'query', resolver }),
          mutation: (resolver: AnyResolver) => {
            const abortable = toAbortable(resolver);
            return recordDeclaration(declared.mutation(abortable), { ...parts, type: 'mutation', resolver: abortable });
          },
        };
      },
    }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the authorization and the schemas check these types
  return builder as ProcedureBuilder<AuthorizedContext>;
}

const toAbortable =
  (resolver: AnyResolver): AnyResolver =>
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
  const authorize: Authorize = (ctx, getRawInput) => {
    requireCaller(ctx, callers);
    check(ctx);
    const { session, address, framework } = ctx;
    if (!session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
    const { principal } = session;
    requireScopes(principal, scopes, address);
    if (principal.frameworks === null) return undefined;
    if (framework !== undefined) return requireFramework(principal, framework);
    return requireNamedFramework(principal, getRawInput);
  };
  return authorized<AuthorizedContext>(authorize, { callers, scopes });
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
export const operatorProcedure = authorized<object>(requireOperator, { callers: ['operator'] });

/** Checks the framework in a tRPC input that is not validated yet. */
async function requireNamedFramework(principal: Principal, getRawInput: () => Promise<unknown>): Promise<void> {
  const input = await getRawInput();
  const framework: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  if (typeof framework === 'number') requireFramework(principal, framework);
}

/** @throws ApiError `forbidden` for an API key or a member */
export function requireOperator(ctx: Pick<Context, 'caller'>): void {
  requireCaller(ctx, ['operator']);
}
