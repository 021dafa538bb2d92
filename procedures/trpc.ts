import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { Principal, Session } from '../entities/database/session.ts';
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
}

/** What REST and the command line add to a procedure. */
export interface Meta extends OpenApiMeta {
  /** Success is 201, and `Location` is this path with `{field}` filled from the answer. */
  location?: `/${string}`;
  /** What the procedure asks of a key. */
  right?: Right;
  /** Whether REST also gives all pages as lines, where `Accept` asks for them. */
  everyPage?: boolean;
  /** The field of the answer that `X-Total-Count` repeats. */
  totalCount?: string;
  /** What the command does, for `--help`. */
  description?: string;
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
      const { status, trpc } = ERRORS[refusal.code];
      return {
        message: refusal.message,
        code: TRPC_ERROR_CODES_BY_KEY[trpc],
        data: { code: trpc, httpStatus: status, errorCode: refusal.code, path: shape.data.path },
      };
    },
  });

export const { router, createCallerFactory } = t;

/** Whatever is thrown below leaves as the TRPCError of its refusal, for a caller as over HTTP. */
const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const refusal = refusalOf(result.error);
  throw new TRPCError({ code: ERRORS[refusal.code].trpc, message: refusal.message, cause: refusal });
});

/** For an integration whose key has this right: checked here, for every road, before input is validated. */
export const companyProcedure = (right: Right) =>
  procedure.meta({ right }).use(async ({ ctx: { caller, session, address, framework }, getRawInput, next }) => {
    if (caller !== 'apiKey' || !session.hasPrincipal()) throw new Refusal('forbidden', 'This needs an API key.');
    requireRight(session.principal, right, address);
    if (session.principal.frameworks !== null) {
      const named = framework ?? frameworkOf(await getRawInput());
      if (named !== undefined) requireFramework(session.principal, named);
    }
    return next({ ctx: { session } });
  });

/** The framework that an input over tRPC names, as far as it is one. */
function frameworkOf(input: unknown): number | undefined {
  const named: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  return typeof named === 'number' ? named : undefined;
}

/** For the operator, whatever the company. */
export const operatorProcedure = procedure.use(({ ctx, next }) => {
  if (ctx.caller !== 'operator') throw new Refusal('forbidden', 'An API key may not manage.');
  return next();
});

/** For the operator acting upon one company. */
export const adminProcedure = operatorProcedure.use(({ ctx: { session }, next }) => {
  if (!session.hasPrincipal()) throw new Refusal('invalid_request', 'X-Company-Id: required');
  return next({ ctx: { session } });
});
