import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { declarationOf, recordDeclaration } from './compile.ts';

/** Separates the name of a procedure from the number of one of its operations: `comment.create#1`. */
const SEPARATOR = '#';

/** Name of the procedure in tRPC. @param name in a router of `restRouter` */
export const procedureOf = (name: string): string => name.split(SEPARATOR, 1).join('');

/**
 * Returns a router whose procedures have the schemas of REST in place of those of tRPC. REST, batches and the OpenAPI
 * document use it, so a field that only tRPC has costs them nothing. A procedure with several operations is one procedure
 * for each of them. The procedures are compiled and described; tRPC cannot call them.
 */
export function restRouter(router: AnyTRPCRouter): AnyTRPCRouter {
  const procedures = Object.entries<AnyTRPCProcedure>(router._def.procedures).flatMap(([name, procedure]) => {
    const declaration = declarationOf(router, name);
    const {
      meta,
      rest: { input, output },
    } = declaration;
    const describe = (changes: Partial<typeof declaration>) => {
      const described = { ...declaration, input, output, ...changes };
      const _def = { ...procedure._def, inputs: [described.input], output, meta: described.meta };
      return recordDeclaration({ _def }, described);
    };
    if (meta.operations === undefined) return [[name, describe({})]];
    return meta.operations.map((operation, index) => {
      const { scopes } = operation;
      const further = { openapi: operation.openapi, scopes: [...(meta.scopes ?? []), ...scopes] };
      const changes: Partial<typeof declaration> = {
        input: operation.input,
        meta: { ...meta, ...further },
        operationScopes: scopes,
      };
      return [`${name}${SEPARATOR}${index}`, describe(changes)];
    });
  });
  return { ...router, _def: { ...router._def, procedures: Object.fromEntries(procedures) } };
}
