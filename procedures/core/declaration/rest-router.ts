import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { declarationOf, recordDeclaration } from './compile.ts';

/**
 * Returns a router whose procedures have the schemas of REST (`meta.rest`) in place of those of tRPC. REST, batches and the
 * OpenAPI document use it, so a field that only tRPC has costs them nothing. Its procedures are compiled and described; tRPC
 * cannot call them.
 */
export function restRouter(router: AnyTRPCRouter): AnyTRPCRouter {
  const procedures = Object.entries<AnyTRPCProcedure>(router._def.procedures).map(([name, procedure]) => {
    const declaration = declarationOf(router, name);
    const { input = declaration.input, output = declaration.output } = declaration.meta.rest ?? {};
    const described = { _def: { ...procedure._def, inputs: [input], output } };
    return [name, recordDeclaration(described, { ...declaration, input, output })];
  });
  return { ...router, _def: { ...router._def, procedures: Object.fromEntries(procedures) } };
}
