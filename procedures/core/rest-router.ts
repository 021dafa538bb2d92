import { TRPCError } from '@trpc/server';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { definitionOf } from './compile.ts';

/**
 * Returns a router whose procedures have the schemas of REST (`meta.rest`) in place of those of tRPC. REST, batches and the
 * OpenAPI document use it, so a field that only tRPC has costs them nothing.
 */
export function restRouter(router: AnyTRPCRouter): AnyTRPCRouter {
  const procedures = Object.entries<AnyTRPCProcedure>(router._def.procedures).map(([name, procedure]) => [
    name,
    restProcedure(router, name, procedure),
  ]);
  return { ...router, _def: { ...router._def, procedures: Object.fromEntries(procedures) } };
}

function restProcedure(router: AnyTRPCRouter, name: string, procedure: AnyTRPCProcedure): object {
  const { meta, inputs, output } = definitionOf(router, name);
  const { rest } = meta;
  if (rest === undefined) return procedure;
  // Runs only if a procedure cannot be called directly (compile.ts): the schemas of tRPC then run too.
  const call: (options: Parameters<AnyTRPCProcedure>[0]) => Promise<unknown> = async (options) => {
    const getRawInput = async (): Promise<unknown> => {
      const raw = await options.getRawInput();
      const { error: cause } = rest.input?.safeParse(raw) ?? {};
      if (cause !== undefined) throw new TRPCError({ code: 'BAD_REQUEST', cause });
      return raw;
    };
    const result: unknown = await procedure({ ...options, getRawInput });
    return rest.output === undefined ? result : rest.output.parse(result);
  };
  const schemas = { inputs: rest.input === undefined ? inputs : [rest.input], output: rest.output ?? output };
  return Object.assign(call, { _def: { ...procedure._def, ...schemas } });
}
