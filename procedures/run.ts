import { TRPCError } from '@trpc/server';
import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { refusalOf } from './errors.ts';
import type { Admit, Context, Meta } from './trpc.ts';

/**
 * Calls a procedure.
 * @throws Refusal
 */
export type Run = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<unknown>;

type AnyFunction = (...given: never[]) => unknown;
const aFunction = <F extends AnyFunction>() => z.custom<F>((value) => typeof value === 'function');

/** What tRPC's builder has put together: one parser at most for the input, none of it run in parts. */
const Parts = z.object({
  type: z.enum(['query', 'mutation']),
  meta: z.custom<Meta & { admit: Admit }>((meta) => typeof meta === 'object' && meta !== null && 'admit' in meta),
  inputs: z.array(z.instanceof(z.ZodType)).max(1),
  output: z.instanceof(z.ZodType).default(z.unknown()),
  resolver: aFunction<(given: { ctx: Context; input: unknown }) => unknown>(),
});

/**
 * A procedure's own parts in their order: admission, input, resolver, output. tRPC runs the same parts as middlewares, and
 * copies the options of the call four times for each, which costs more than the rest of the transport
 * (docs/decisions/0025-what-a-write-costs.md). That the two agree, test/parity.test.ts holds over every procedure.
 * @throws Error where there is no such procedure, or it is not built from these parts
 */
export function runOf(router: AnyTRPCRouter, path: string): Run {
  const { meta, input, output, resolver } = partsOf(router, path);
  const validated = (raw: unknown) => {
    if (input === undefined) return undefined;
    const parsed = input.safeParse(raw);
    if (!parsed.success) throw new TRPCError({ code: 'BAD_REQUEST', cause: parsed.error });
    return parsed.data;
  };
  return async (ctx, getRawInput) => {
    try {
      await meta.admit(ctx, getRawInput);
      return output.parse(await resolver({ ctx, input: validated(await getRawInput()) }));
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

/** Gives a whole list in JSON, as its `written` does, to whom its procedure admits; undefined where it has none. */
export function writtenOf(router: AnyTRPCRouter, path: string) {
  const { admit, written } = partsOf(router, path).meta;
  if (written === undefined) return undefined;
  return async (ctx: Context, most: number) => {
    await admit(ctx, async () => ({}));
    if (!ctx.session.hasPrincipal()) throw new Error(`${path} admitted nobody`);
    return written(ctx.session, most);
  };
}

/** A procedure under its name, ready to be called. */
export interface Runnable {
  path: string;
  type: 'query' | 'mutation';
  run: Run;
  /** Gives all that it gives to no input, already in JSON, where that is a list that is not too long. */
  written: ReturnType<typeof writtenOf>;
}

/** All procedures of a router, by name. */
export function runnablesOf(router: AnyTRPCRouter): Map<string, Runnable> {
  return new Map(
    Object.keys(router._def.procedures).map((path) => [
      path,
      { path, type: partsOf(router, path).type, run: runOf(router, path), written: writtenOf(router, path) },
    ]),
  );
}

/** @throws Error where there is no such procedure, or it is not built from these parts */
export function partsOf(router: AnyTRPCRouter, path: string) {
  const procedure: unknown = Reflect.get(router._def.procedures, path);
  if (typeof procedure !== 'function' || !('_def' in procedure)) throw new Error(`${path}: no such procedure`);
  const { inputs, ...parts } = Parts.parse(procedure._def);
  return { ...parts, input: inputs[0] };
}
