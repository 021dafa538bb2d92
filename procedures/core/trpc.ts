import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMiddlewareFunction, TRPCUnsetMarker } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { Session } from '../../database/session.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import type { Principal } from '../../entities/principal.ts';
import { redactRawKeys } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { StreamedPages } from '../schemas/pagination.ts';
import { ERRORS, toApiError } from './errors.ts';
import { requireFramework, requirePermission } from './permissions.ts';
import type { Permission } from './permissions.ts';

/** Context of one request, created by authentication. */
export interface Context {
  requestId: string;
  /** Type of the credential. API keys call company procedures; the operator calls management procedures. */
  caller: 'apiKey' | 'operator';
  /** Has no principal if the operator did not select a company. */
  session: Session<Principal | null>;
  /** IP address of the client; null without a connection. */
  address: string | null;
  /** Framework in the REST path, known before the body is read. */
  framework?: number | undefined;
  /**
   * Maximum number of items that an unpaged list returns in one call; undefined for all items. REST sets it to stream the
   * list in batches. Only the first batch counts the total.
   */
  batchSize?: number | undefined;
  /** Entity tags from `If-Match`: the resource must have one of them. Undefined or null matches any resource. */
  ifMatch?: IfMatch | undefined;
  /**
   * Error that a mutation throws instead of running its resolver, after the authorization, the input schema and all
   * middlewares. REST sets it to run them before it replays an idempotent response (docs/decisions, 0027).
   */
  abortBeforeResolver?: ApiError | undefined;
}

/** Dates as `YYYY-MM-DD`, which begin at midnight UTC. See docs/versioning.md. */
export interface Deprecation {
  since: string;
  /** First date on which the operation may be removed. */
  sunset?: string;
}

/** Metadata of a procedure for REST and the command line. */
export interface Meta extends OpenApiMeta {
  /** Path for `Location`, with `{field}` replaced from the response. The success status becomes 201. */
  location?: `/${string}`;
  /** Permission that the procedure requires. */
  permission?: Permission;
  /** Enables a REST response with all of these pages as NDJSON, selected by `Accept`. */
  ndjson?: StreamedPages;
  /**
   * Procedure that REST calls instead of one that returns a bare array. It takes the same input and returns
   * `{items, nextCursor, total}`. REST sends the items as the body, and the rest as `Link` and `X-Total-Count`.
   * Both procedures must have the same permission and middlewares.
   */
  pagedVariant?: string;
  /**
   * Returns a whole list as JSON text built by PostgreSQL; undefined if it has more than `maxItems` items.
   * REST calls it first, because it avoids parsing rows and serializing them again.
   */
  listJson?: (session: Session, maxItems: number) => Promise<{ json: string; total: number } | undefined>;
  /** Set if the response is a task or a vendor. REST then sends its entity tag as `ETag`. */
  hasEntityTag?: boolean;
  /**
   * Procedure that REST calls instead of one that returns nothing. It takes the same input and returns the object for
   * `ETag` and `Prefer: return=representation`. Both procedures must have the same permission and middlewares.
   */
  returningVariant?: string;
  /** Response field that REST also sends as `X-Total-Count`. */
  totalCountField?: string;
  /** Description of the command for `--help`. */
  description?: string;
  /** Deprecation and removal dates of the operation. */
  deprecated?: Deprecation;
  /** Response field that decides the exit code: the command fails unless it is true. */
  exitCodeField?: string;
}

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
