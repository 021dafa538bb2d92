import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMiddlewareFunction, TRPCUnsetMarker } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { Session } from '../../database/session.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import type { Principal } from '../../entities/principal.ts';
import { redactRawKeys } from '../../entities/api-key/raw-key.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ERRORS, toApiError } from './errors.ts';
import { requireFramework, requirePermission } from './permissions.ts';
import type { Permission } from './permissions.ts';

/** What authentication yields for one request. */
export interface Context {
  requestId: string;
  /** By which credential: an API key never manages, the operator never does a company's business. */
  caller: 'apiKey' | 'operator';
  /** Without a principal while the operator has named no company. */
  session: Session<Principal | null>;
  /** The caller's address; null where there is no wire. */
  address: string | null;
  /** The framework that a REST path names, known before the body is read. */
  framework?: number | undefined;
  /**
   * How many items are wanted at once of a list that is not paged, by who then asks for those that follow; undefined:
   * all. Of those that follow, the total is not counted again.
   */
  batchSize?: number | undefined;
  /** The tags of which the resource that is changed must have one; left out or null where any will do. */
  ifMatch?: IfMatch | undefined;
  /**
   * Thrown in place of running the resolver of a mutation, after the authorization, the input and all middlewares. They
   * run before an idempotent response is replayed (docs/decisions, 0027).
   */
  abortBeforeResolver?: ApiError | undefined;
}

/** Days as `YYYY-MM-DD`, each from its first moment, UTC. The rules are in docs/versioning.md. */
export interface Deprecation {
  since: string;
  /** From when it may be gone. */
  sunset?: string;
}

/** What REST and the command line add to a procedure. */
export interface Meta extends OpenApiMeta {
  /** Success is 201, and `Location` is this path with `{field}` filled from the answer. */
  location?: `/${string}`;
  /** What the procedure asks of a key. */
  permission?: Permission;
  /** Whether REST also gives all pages as lines, where `Accept` asks for them. */
  ndjson?: boolean;
  /**
   * The procedure that REST calls in the place of one that answers a bare array: with the same input, it answers
   * `{items, nextCursor, total}`, of which the items are the body and the rest goes into `Link` and `X-Total-Count`.
   * Both procedures must have the same permission and middlewares.
   */
  pagedVariant?: string;
  /**
   * What a list gives to who asks for all of it, already written as JSON; undefined where it has more than `most` items.
   * REST asks for it first: reading rows only to write them again is most of what a list costs.
   */
  listJson?: (session: Session, maxItems: number) => Promise<{ json: string; total: number } | undefined>;
  /** Whether the answer is a task or a vendor, whose tag goes into `ETag`. */
  hasEntityTag?: boolean;
  /**
   * The procedure that REST calls in the place of one that answers nothing: with the same input, it answers the object,
   * for `ETag`, and for who prefers to see it. Both procedures must have the same permission and middlewares.
   */
  returningVariant?: string;
  /** The field of the answer that `X-Total-Count` repeats. */
  totalCountField?: string;
  /** What the command does, for `--help`. */
  description?: string;
  /** When the operation was or will be deprecated, and when it goes. */
  deprecated?: Deprecation;
  /** The field of the answer that must be true for the command to succeed. */
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

/** Lets a call in, or throws why not; before its input is validated. */
export type Authorize = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<void> | void;

/** Authorizations by the middleware that runs them. A direct call runs them without tRPC (procedures/core/compile.ts). */
export const authorizations = new WeakMap<object, Authorize>();

/**
 * A procedure that begins by admitting its caller, and of which whatever is thrown leaves as the TRPCError of its refusal,
 * for a caller as over HTTP.
 * @typeParam Admitted what the context is known to be then
 */
function authorized<Admitted extends object>(authorize: Authorize) {
  const middleware: TRPCMiddlewareFunction<Context, Meta, object, Admitted, TRPCUnsetMarker> = async (call) => {
    try {
      await authorize(call.ctx, call.getRawInput);
      const result = await call.next<Admitted>({});
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

/** A procedure builder, and all that are made from it, whose mutations respect `insteadOfResolver` of the context. */
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

/** For an integration whose key has this right: checked here, for every road, before input is validated. */
export const companyProcedure = (permission: Permission) =>
  authorized<CompanyContext>(({ caller, session, address, framework }, getRawInput) => {
    if (caller !== 'apiKey' || !session.hasPrincipal()) throw new ApiError('forbidden', 'This needs an API key.');
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

/** The framework that an input over tRPC names, as far as it is one. */
function frameworkFromInput(input: unknown): number | undefined {
  const framework: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  return typeof framework === 'number' ? framework : undefined;
}

/** @throws Refusal 403 for an API key */
export function requireOperator({ caller }: Pick<Context, 'caller'>): void {
  if (caller !== 'operator') throw new ApiError('forbidden', 'An API key may not manage.');
}

/** For the operator, whatever the company. */
export const operatorProcedure = authorized<object>(requireOperator);

/** For the operator acting upon one company. */
export const adminProcedure = authorized<CompanyContext>((ctx) => {
  requireOperator(ctx);
  if (!ctx.session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
});
