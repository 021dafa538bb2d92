import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMiddlewareFunction, TRPCUnsetMarker } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { Session } from '../entities/database/session.ts';
import type { IfMatch } from '../entities/statements/tag.ts';
import type { Principal } from '../entities/principal.ts';
import { withoutRawKeys } from '../entities/raw-key.ts';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from './errors.ts';
import { requireFramework, requireRight } from './rights.ts';
import type { Right } from './rights.ts';

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
  part?: number | undefined;
  /** The tags of which the resource that is changed must have one; left out or null where any will do. */
  ifMatch?: IfMatch | undefined;
  /**
   * Thrown in place of running the resolver of a mutation, after the authorization, the input and all middlewares. They
   * run before an idempotent response is replayed (docs/decisions/0027-answering-once.md).
   */
  insteadOfResolver?: Refusal | undefined;
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
  right?: Right;
  /** Whether REST also gives all pages as lines, where `Accept` asks for them. */
  everyPage?: boolean;
  /**
   * The procedure that REST calls in the place of one that answers a bare array: with the same input, it answers
   * `{items, nextCursor, total}`, of which the items are the body and the rest goes into `Link` and `X-Total-Count`.
   * Both procedures must have the same permission and middlewares.
   */
  pagedBy?: string;
  /**
   * What a list gives to who asks for all of it, already written as JSON; undefined where it has more than `most` items.
   * REST asks for it first: reading rows only to write them again is most of what a list costs.
   */
  written?: (session: Session, most: number) => Promise<{ json: string; total: number } | undefined>;
  /** Whether the answer is a task or a vendor, whose tag goes into `ETag`. */
  tagged?: boolean;
  /**
   * The procedure that REST calls in the place of one that answers nothing: with the same input, it answers the object,
   * for `ETag`, and for who prefers to see it. Both procedures must have the same permission and middlewares.
   */
  shownBy?: string;
  /** The field of the answer that `X-Total-Count` repeats. */
  totalCount?: string;
  /** What the command does, for `--help`. */
  description?: string;
  /** When the operation was or will be deprecated, and when it goes. */
  deprecated?: Deprecation;
  /** The field of the answer that must be true for the command to succeed. */
  mustHold?: string;
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const refusal = refusalOf(error);
      const { status, trpc } = ERRORS[refusal.reason];
      const path = shape.data.path === undefined ? undefined : withoutRawKeys(shape.data.path);
      return {
        message: refusal.message,
        code: TRPC_ERROR_CODES_BY_KEY[trpc],
        data: { code: trpc, httpStatus: status, errorCode: refusal.code, path },
      };
    },
  });

export const { router, createCallerFactory } = t;

/** Lets a call in, or throws why not; before its input is validated. */
export type Admit = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<void> | void;

/** Authorizations by the middleware that runs them. A direct call runs them without tRPC (procedures/run.ts). */
export const authorizations = new WeakMap<object, Admit>();

/**
 * A procedure that begins by admitting its caller, and of which whatever is thrown leaves as the TRPCError of its refusal,
 * for a caller as over HTTP.
 * @typeParam Admitted what the context is known to be then
 */
function admitting<Admitted extends object>(admit: Admit) {
  const middleware: TRPCMiddlewareFunction<Context, Meta, object, Admitted, TRPCUnsetMarker> = async (call) => {
    try {
      await admit(call.ctx, call.getRawInput);
      const result = await call.next<Admitted>({});
      if (result.ok) return result;
      throw result.error;
    } catch (error) {
      const refusal = refusalOf(error);
      throw new TRPCError({ code: ERRORS[refusal.reason].trpc, message: refusal.message, cause: refusal });
    }
  };
  authorizations.set(middleware, admit);
  return withReplaceableResolver(t.procedure.use(middleware));
}

type Resolver = (call: { ctx: Context }) => unknown;

/** A procedure builder, and all that are made from it, whose mutations respect `insteadOfResolver` of the context. */
function withReplaceableResolver<Builder extends object>(builder: Builder): Builder {
  return new Proxy(builder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'mutation') return (resolver: Resolver) => Reflect.apply(member, target, [replaceable(resolver)]);
      return (...given: unknown[]) => {
        const made: unknown = Reflect.apply(member, target, given);
        return typeof made === 'object' && made !== null ? withReplaceableResolver(made) : made;
      };
    },
  });
}

const replaceable =
  (resolver: Resolver): Resolver =>
  (call) => {
    if (call.ctx.insteadOfResolver !== undefined) throw call.ctx.insteadOfResolver;
    return resolver(call);
  };

interface OfCompany {
  session: Session;
}

/** For an integration whose key has this right: checked here, for every road, before input is validated. */
export const companyProcedure = (right: Right) =>
  admitting<OfCompany>(({ caller, session, address, framework }, getRawInput) => {
    if (caller !== 'apiKey' || !session.hasPrincipal()) throw new Refusal('forbidden', 'This needs an API key.');
    const { principal } = session;
    requireRight(principal, right, address);
    if (principal.frameworks === null) return undefined;
    if (framework !== undefined) return requireFramework(principal, framework);
    return requireNamed(principal, getRawInput);
  }).meta({ right });

async function requireNamed(principal: Principal, getRawInput: () => Promise<unknown>): Promise<void> {
  const named = frameworkOf(await getRawInput());
  if (named !== undefined) requireFramework(principal, named);
}

/** The framework that an input over tRPC names, as far as it is one. */
function frameworkOf(input: unknown): number | undefined {
  const named: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  return typeof named === 'number' ? named : undefined;
}

/** @throws Refusal 403 for an API key */
export function requireOperator({ caller }: Pick<Context, 'caller'>): void {
  if (caller !== 'operator') throw new Refusal('forbidden', 'An API key may not manage.');
}

/** For the operator, whatever the company. */
export const operatorProcedure = admitting<object>(requireOperator);

/** For the operator acting upon one company. */
export const adminProcedure = admitting<OfCompany>((ctx) => {
  requireOperator(ctx);
  if (!ctx.session.hasPrincipal()) throw new Refusal('invalid_request', 'X-Company-Id: required');
});
