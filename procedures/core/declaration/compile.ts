import { TRPCError } from '@trpc/server';
import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { MemberScope } from '../../../entities/member/role.ts';
import { toApiError } from '../errors.ts';
import type { Context } from '../context.ts';
import type { Meta } from './meta.ts';

/**
 * Calls a procedure for a context.
 * @throws ApiError
 */
export type Call = (ctx: Context, getRawInput: GetRawInput) => Promise<unknown>;

type GetRawInput = () => Promise<unknown>;

/** A procedure that is called, or one of its REST operations. */
export interface Called {
  type: 'query' | 'mutation';
  meta: Meta;
  /** Scopes that the REST operation needs beside those of the procedure. */
  operationScopes?: readonly MemberScope[];
}

/** Authorizes a call before its input is validated. Throws an error to reject the call. */
export type Authorize = (ctx: Context, getRawInput: GetRawInput, called: Called) => Promise<void> | void;

/** A resolver. The authorization and the schemas check the types of its calls. */
export type AnyResolver = (call: { ctx: Context; input: unknown }) => unknown;

/** Everything that a procedure consists of. */
interface Declaration extends Called {
  authorize: Authorize;
  input: z.ZodType;
  output: z.ZodType;
  /** Schemas without the entity tag, which REST has in headers and a batch beside the item. */
  rest: { input: z.ZodType; output: z.ZodType };
  resolver: AnyResolver;
}

const declarations = new WeakMap<object, Declaration>();

/** Records the parts with which a procedure was declared, so that nothing reads them from tRPC. */
export function recordDeclaration<Procedure extends object>(procedure: Procedure, declaration: Declaration): Procedure {
  declarations.set(procedure, declaration);
  return procedure;
}

/** @throws Error if the procedure does not exist, or is built otherwise than in `trpc.ts` */
export function declarationOf(router: AnyTRPCRouter, path: string): Declaration {
  const procedure: unknown = Reflect.get(router._def.procedures, path);
  if (procedure === undefined) throw new Error(`${path}: no such procedure`);
  const declaration = declarations.get(Object(procedure));
  if (declaration === undefined)
    throw new Error(`${path}: expected a procedure of a builder of procedures/core/trpc.ts`);
  return declaration;
}

/**
 * The parts of a procedure that transports and documents need.
 * @throws Error if the procedure does not exist, or is built otherwise than in `trpc.ts`
 */
export function definitionOf(router: AnyTRPCRouter, path: string) {
  const { type, meta, input, output } = declarationOf(router, path);
  return { type, meta, inputs: [input], output };
}

/**
 * Compiles a procedure to a function that calls its parts directly: authorization, input schema, resolver, output schema. tRPC
 * copies the call options for each of them, which costs more than the rest of the transport (decision 0025).
 * `test/trpc/transport-parity.test.ts` compares direct calls with callers and with tRPC over HTTP.
 * @throws Error if the procedure does not exist, or is built otherwise than in `trpc.ts`
 */
export function compileProcedure(router: AnyTRPCRouter, path: string): Call {
  const { validate, call } = compileSteps(router, path);
  return (ctx, getRawInput) => call(ctx, getRawInput, async () => validate(await getRawInput()));
}

/** A procedure whose input may be validated before it is called. */
export interface Steps {
  /** @throws TRPCError for an invalid input */
  validate: (raw: unknown) => unknown;
  /**
   * @param getValidated called after the authorization
   * @throws ApiError
   */
  call: (ctx: Context, getRawInput: GetRawInput, getValidated: () => Promise<unknown>) => Promise<unknown>;
}

/** Compiles a procedure like `compileProcedure`, in two steps. */
export function compileSteps(router: AnyTRPCRouter, path: string): Steps {
  const declaration = declarationOf(router, path);
  const { authorize, input, output, resolver } = declaration;
  const call: Steps['call'] = async (ctx, getRawInput, getValidated) => {
    await authorize(ctx, getRawInput, declaration);
    return parseSchema(output, await resolver({ ctx, input: await getValidated() }));
  };
  return {
    validate: (raw) => parseInputSchema(input, raw),
    call: (...parameters) =>
      call(...parameters).catch((error: unknown) => {
        throw toApiError(error);
      }),
  };
}

/** @throws TRPCError */
function parseInputSchema(schema: z.ZodType, raw: unknown): unknown {
  try {
    const parsed = parseSchema(schema, raw);
    return parsed instanceof Promise ? parsed.catch(throwInvalid) : parsed;
  } catch (cause) {
    return throwInvalid(cause);
  }
}

function throwInvalid(cause: unknown): never {
  throw new TRPCError({ code: 'BAD_REQUEST', cause });
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
 * @returns undefined if the procedure has no `listJson`
 */
export function listJsonOf(router: AnyTRPCRouter, path: string) {
  const declaration = declarationOf(router, path);
  const { response } = declaration.meta;
  const listJson = response?.kind === 'list' ? response.listJson : undefined;
  if (listJson === undefined) return undefined;
  return async (ctx: Context, maxItems: number) => {
    await declaration.authorize(ctx, async () => ({}), declaration);
    if (!ctx.session.hasPrincipal()) throw new Error(`${path}: the authorization allowed a call without a principal`);
    return listJson(ctx.session, maxItems);
  };
}

/**
 * Requires that two procedures have the same scopes, so that REST may call `variant` for `path`.
 * @throws Error that names both procedures
 */
export function requireSameScopes(router: AnyTRPCRouter, path: string, variant: string): void {
  const [scopes, variantScopes] = [path, variant].map((name) => declarationOf(router, name).meta.scopes?.join(' '));
  if (scopes !== variantScopes) throw new Error(`${path}: REST calls ${variant}, which must have the same scopes`);
}
