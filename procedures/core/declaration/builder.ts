import { TRPCError, initTRPC } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import type { z } from 'zod';
import { redactSecrets } from '../../../entities/api-key/raw-key.ts';
import type { IfMatch } from '../../../entities/statements/entity-tag.ts';
import type { Context } from '../context.ts';
import type { Meta } from './meta.ts';
import { recordDeclaration } from './compile.ts';
import type { AnyResolver, Authorize } from './compile.ts';
import { withEntityTag, withIfMatch } from '../../schemas/entity-tag.ts';
import type { Conditional } from '../../schemas/entity-tag.ts';
import { ERRORS, toApiError } from '../errors.ts';

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

export const { router, createCallerFactory, mergeRouters } = t;

/** Types of a procedure for clients. */
export interface ClientTypes<Input, Output> {
  input: Input;
  output: Output;
  meta: Meta;
  errorShape: (typeof t)['_config']['$types']['errorShape'];
}

/** An object with a version also has its entity tag over tRPC, alone and as the item of an upsert. */
export type Tagged<Output> = Output extends { version: number; createdBy: object; updatedBy: object }
  ? Output & { etag: string }
  : Output extends { upsert: string; item: infer Item }
    ? Omit<Output, 'item'> & { item: Tagged<Item> }
    : Output;

type Resolver<AuthorizedContext, Parsed, Result> = (call: {
  ctx: Omit<Context, keyof AuthorizedContext> & AuthorizedContext;
  input: Parsed;
}) => Result | Promise<Result>;

/**
 * Declares a procedure: metadata, one input schema, one output schema and the resolver, in this order. A direct call
 * (`compile.ts`) runs these and the authorization, so there are no further middlewares. Schemas have the type of Zod's core: it has
 * two properties, and the compiler compares each schema with it. `z.ZodType` has sixty methods, with ten times the CPU time.
 * @typeParam Further input of clients that the resolver finds in its context
 */
interface ProcedureBuilder<AuthorizedContext, Further = unknown> {
  meta(meta: Meta): ProcedureBuilder<AuthorizedContext, Further>;
  input<Parsed, Input>(
    schema: z.core.$ZodType<Parsed, Input>,
  ): {
    output<Output, Result>(
      schema: z.core.$ZodType<Output, Result>,
    ): {
      query(
        resolver: Resolver<AuthorizedContext, Parsed, Result>,
      ): TRPCQueryProcedure<ClientTypes<Input, Tagged<Output>>>;
      mutation(
        resolver: Resolver<AuthorizedContext, Parsed, Result>,
      ): TRPCMutationProcedure<ClientTypes<Input & Further, Tagged<Output>>>;
    };
  };
}

/**
 * Creates a procedure builder whose first middleware authorizes the call. The middleware also converts every error to a
 * TRPCError with the code and message of its ApiError, so callers and HTTP clients receive the same error. Mutations throw
 * `abortBeforeResolver` of the context.
 * @typeParam AuthorizedContext context type after the authorization
 */
export function authorized<AuthorizedContext>(authorize: Authorize, meta: Meta): ProcedureBuilder<AuthorizedContext> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the authorization and the schemas check these types
  return builderOf(authorize, meta, false) as ProcedureBuilder<AuthorizedContext>;
}

/**
 * Creates a builder for changes of an object with a version, which take its entity tag: as `ifMatch` of the input over tRPC, as `If-Match` over
 * REST. The resolver finds it in its context.
 */
export function authorizedChange<AuthorizedContext>(
  authorize: Authorize,
  meta: Meta,
): ProcedureBuilder<AuthorizedContext & { ifMatch: IfMatch }, Conditional> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the authorization and the schemas check these types
  return builderOf(authorize, meta, true) as ProcedureBuilder<AuthorizedContext & { ifMatch: IfMatch }, Conditional>;
}

function builderOf(authorize: Authorize, meta: Meta, isConditional: boolean): object {
  const authorization = t.procedure.use(async ({ ctx, type, meta: declared = meta, getRawInput, next }) => {
    const call = async () => {
      await authorize(ctx, getRawInput, { type: type === 'query' ? type : 'mutation', meta: declared });
      const result = await (ctx.runCall === undefined ? next() : next({ ctx: { runCall: undefined } }));
      if (result.ok) return result;
      throw result.error;
    };
    try {
      return await (ctx.runCall?.(call) ?? call());
    } catch (error) {
      const apiError = toApiError(error);
      throw new TRPCError({ code: ERRORS[apiError.reason].trpcCode, message: apiError.message, cause: apiError });
    }
  });
  return {
    meta: (further: Meta) => builderOf(authorize, mergeMeta(meta, further), isConditional),
    input: (restInput: z.ZodType) => ({
      output: (restOutput: z.ZodType) => {
        const input = isConditional ? withIfMatch(restInput) : restInput;
        const output = withEntityTag(restOutput);
        const declared = authorization.meta(meta).input(input).output(output);
        const parts = { authorize, meta, input, output, rest: { input: restInput, output: restOutput } };
        return {
          query: (resolver: AnyResolver) =>
            recordDeclaration(declared.query(resolver), { ...parts, type: 'query', resolver }),
          mutation: (resolver: AnyResolver) => {
            const abortable = toAbortable(isConditional ? toConditional(resolver) : resolver);
            return recordDeclaration(declared.mutation(abortable), { ...parts, type: 'mutation', resolver: abortable });
          },
        };
      },
    }),
  };
}

const mergeMeta = (meta: Meta, further: Meta): Meta => ({
  ...meta,
  ...further,
  ...((meta.mcp ?? further.mcp) && { mcp: { ...meta.mcp, ...further.mcp } }),
});

const toAbortable =
  (resolver: AnyResolver): AnyResolver =>
  (call) => {
    if (call.ctx.abortBeforeResolver !== undefined) throw call.ctx.abortBeforeResolver;
    return resolver(call);
  };

const toConditional =
  (resolver: AnyResolver): AnyResolver =>
  ({ ctx, input }) => {
    const { ifMatch: tag, ...changes }: Conditional = Object(input);
    return resolver({ ctx: { ...ctx, ifMatch: tag === undefined ? (ctx.ifMatch ?? null) : [tag] }, input: changes });
  };
