import { isDeepStrictEqual } from 'node:util';
import { TRPCError, callTRPCProcedure } from '@trpc/server';
import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { toApiError } from './errors.ts';
import { authorizations } from './trpc.ts';
import type { Context } from './context.ts';
import type { Meta } from './meta.ts';

/**
 * Calls a procedure for a context.
 * @throws ApiError
 */
export type Call = (ctx: Context, getRawInput: GetRawInput) => Promise<unknown>;

type GetRawInput = () => Promise<unknown>;

/** The parts of a procedure's definition that REST and the OpenAPI document need. */
const Definition = z.object({
  type: z.enum(['query', 'mutation']),
  meta: z.custom<Meta>((meta) => typeof meta === 'object' && meta !== null).default({}),
  inputs: z.array(z.instanceof(z.ZodType)),
  output: z.instanceof(z.ZodType).optional(),
});

type Resolver = (call: object) => unknown;
/** A middleware. tRPC sets `_type` on the middlewares that it creates from schemas. */
type Middleware = ((call: never) => unknown) & { _type?: unknown };

const functionSchema = <F extends Resolver | Middleware>() => z.custom<F>((value) => typeof value === 'function');

/** Private fields of tRPC: all middlewares in order. The last one calls the resolver. */
const MiddlewareChain = z.object({
  middlewares: z.array(functionSchema<Middleware>()),
  resolver: functionSchema<Resolver>(),
  caller: z.undefined().optional(),
});

/** @throws Error if the procedure does not exist or REST cannot serve it */
export function definitionOf(router: AnyTRPCRouter, path: string) {
  return Definition.parse(privateDefinitionOf(router, path));
}

function privateDefinitionOf(router: AnyTRPCRouter, path: string): unknown {
  const procedure: unknown = Reflect.get(router._def.procedures, path);
  if (typeof procedure !== 'function' || !('_def' in procedure)) throw new Error(`${path}: no such procedure`);
  return procedure._def;
}

/** The middlewares before the resolver; undefined if this version of tRPC stores them elsewhere. */
function middlewareChainOf(router: AnyTRPCRouter, path: string) {
  const { success, data } = MiddlewareChain.safeParse(privateDefinitionOf(router, path));
  if (!success || data.middlewares.at(-1)?.name !== 'resolveMiddleware') return undefined;
  return { middlewares: data.middlewares.slice(0, -1), resolver: data.resolver };
}

const isSchema = ({ _type }: Middleware) => _type === 'input' || _type === 'output';

/**
 * Splits a procedure into its authorization, input schema, output schema and resolver.
 * @returns undefined if the procedure has another middleware, another order or more than one input schema
 */
function directCallPartsOf(router: AnyTRPCRouter, path: string) {
  const chain = middlewareChainOf(router, path);
  const [first, ...others] = chain?.middlewares ?? [];
  const authorize = first && authorizations.get(first);
  if (chain === undefined || authorize === undefined) return undefined;
  const { inputs, output } = definitionOf(router, path);
  const expected = [...inputs.map(() => 'input'), ...(output === undefined ? [] : ['output'])];
  const isAsExpected = isDeepStrictEqual(
    others.map(({ _type }) => _type),
    expected,
  );
  const isKnown = isAsExpected && inputs.length <= 1;
  return isKnown ? { authorize, input: inputs[0], output, resolver: chain.resolver } : undefined;
}

/**
 * Compiles a procedure to a function: a direct call if all its middlewares are known, otherwise a call through tRPC.
 * @throws Error if the procedure does not exist
 */
export function compileProcedure(router: AnyTRPCRouter, path: string): Call {
  const call = compileDirectCall(router, path) ?? compileTrpcCall(router, path);
  return (ctx, getRawInput) =>
    call(ctx, getRawInput).catch((error: unknown) => {
      throw toApiError(error);
    });
}

/** Runs all middlewares and the resolver of a procedure with tRPC's public `callTRPCProcedure`. */
function compileTrpcCall(router: AnyTRPCRouter, path: string): Call {
  const { type } = definitionOf(router, path);
  return (ctx, getRawInput) =>
    callTRPCProcedure({ router, path, type, ctx, getRawInput, signal: undefined, batchIndex: 0 });
}

/**
 * Calls a procedure directly: authorization, input schema, resolver, output schema. tRPC copies the call options for each
 * middleware, which costs more than the rest of the transport (docs/decisions, 0025).
 * `test/trpc/transport-parity.test.ts` compares direct calls with callers and with tRPC over HTTP.
 * @returns undefined if the procedure has a middleware that a direct call would skip
 */
export function compileDirectCall(router: AnyTRPCRouter, path: string): Call | undefined {
  const parts = directCallPartsOf(router, path);
  if (parts === undefined) return undefined;
  const { authorize, input, output, resolver } = parts;
  const { type, meta } = definitionOf(router, path);
  return async (ctx, getRawInput) => {
    await authorize(ctx, getRawInput);
    const raw = input && (await getRawInput());
    let validated: unknown;
    try {
      validated = input && (await parseSchema(input, raw));
    } catch (cause) {
      throw new TRPCError({ code: 'BAD_REQUEST', cause });
    }
    const call = { ctx, input: validated, path, type, meta, getRawInput, signal: undefined, batchIndex: 0 };
    const result = await resolver(call);
    return output === undefined ? result : parseSchema(output, result);
  };
}

/** Parses synchronously, which is faster. Falls back to `parseAsync` for asynchronous schemas, as tRPC does. */
function parseSchema(schema: z.ZodType, value: unknown): unknown {
  try {
    return schema.parse(value);
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return schema.parseAsync(value);
    throw error;
  }
}

/**
 * Runs `listJson` of a procedure after its authorization.
 * @returns undefined if the procedure has no `listJson` or has a middleware that this call would skip
 */
export function listJsonOf(router: AnyTRPCRouter, path: string) {
  const authorize = directCallPartsOf(router, path)?.authorize;
  const { response } = definitionOf(router, path).meta;
  const listJson = response?.kind === 'list' ? response.listJson : undefined;
  if (authorize === undefined || listJson === undefined) return undefined;
  return async (ctx: Context, maxItems: number) => {
    await authorize(ctx, async () => ({}));
    if (!ctx.session.hasPrincipal()) throw new Error(`${path}: the authorization allowed a call without a principal`);
    return listJson(ctx.session, maxItems);
  };
}

/**
 * Requires that two procedures have the same scopes and middlewares, so that REST may call `variant` for `path`.
 * Compares only the scopes if tRPC's middlewares are not accessible.
 * @throws Error that names both procedures
 */
export function requireSameMiddlewares(router: AnyTRPCRouter, path: string, variant: string): void {
  const middlewares = middlewaresOf(router, path);
  const variantMiddlewares = middlewaresOf(router, variant);
  const isSame =
    middlewares.length === variantMiddlewares.length &&
    middlewares.every((middleware, index) => middleware === variantMiddlewares[index]);
  if (!isSame) throw new Error(`${path}: REST calls ${variant}, which must have the same scopes and middlewares`);
}

/** The scopes of a procedure as one text, followed by its middlewares except the authorization and the schemas. */
function middlewaresOf(router: AnyTRPCRouter, path: string): unknown[] {
  const [first, ...others] = middlewareChainOf(router, path)?.middlewares ?? [];
  const middlewares = first === undefined || authorizations.has(first) ? others : [first, ...others];
  const scopes = definitionOf(router, path).meta.scopes?.join(' ');
  return [scopes, ...middlewares.filter((middleware) => !isSchema(middleware))];
}
