import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Principal } from '../../entities/principal.ts';
import { compileProcedure, definitionOf } from '../../procedures/core/declaration/compile.ts';
import type { Call } from '../../procedures/core/declaration/compile.ts';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { compileArguments } from './arguments.ts';
import { inputSchemaOf, outputSchemaOf } from './schemas.ts';
import type { JsonSchema } from './schemas.ts';

/** A procedure as MCP describes it. https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: 'object' };
  outputSchema?: JsonSchema;
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>;
}

export interface Tool {
  /** Without the output schema, which few clients need. */
  description: Omit<ToolDescription, 'outputSchema'>;
  /** Output schema, made at the first call; undefined if the tool returns nothing. */
  outputSchema: () => JsonSchema | undefined;
  /** Returns true if `tools/list` shows the tool to this key. */
  isListed: (principal: Pick<Principal, 'scopes'>) => boolean;
  call: Call;
  readArguments: ReturnType<typeof compileArguments>;
}

/** Names of the procedures for API keys. Each is a tool, unless its `meta.mcp` excludes it. */
export const businessProcedures = (router: AnyTRPCRouter): string[] =>
  Object.keys(router._def.procedures).filter(
    (name) => definitionOf(router, name).meta.callers?.includes('apiKey') === true,
  );

/** Some clients reject names with dots. */
export const toolName = (procedure: string): string => procedure.replaceAll('.', '_');

/**
 * Makes a tool of every business procedure that `meta.mcp` does not exclude.
 * @throws Error for a procedure that cannot be a tool
 */
export function compileTools(router: AnyTRPCRouter): ReadonlyMap<string, Tool> {
  const names = businessProcedures(router).filter((name) => definitionOf(router, name).meta.mcp?.exclude === undefined);
  return new Map(names.map((name) => [toolName(name), compileTool(router, name)]));
}

function compileTool(router: AnyTRPCRouter, procedure: string): Tool {
  const { inputs, output, type, meta } = definitionOf(router, procedure);
  const operation = meta.openapi ?? meta.operations?.[0]?.openapi ?? operationOfVariant(router, procedure);
  const [input, ...others] = inputs;
  if (operation?.summary === undefined || input === undefined || others.length > 0)
    throw new Error(`${procedure}: expected a summary and one input schema, or a reason in meta.mcp.exclude`);
  const hasOutput = output !== undefined && !(output instanceof z.ZodVoid);
  let outputSchema: JsonSchema | undefined;
  const { scopes: required = [], response } = meta;
  const {
    title = operation.summary,
    description = operation.description,
    listedScopes,
    isAdditive,
    mayCreate,
    isOpenWorld,
  } = meta.mcp ?? {};
  const { location, secretField, status } = response?.kind === 'json' ? response : {};
  const createsResource = location !== undefined;
  const isCreation =
    mayCreate === true ||
    createsResource ||
    secretField !== undefined || // a new secret
    status === 202; // new work in the background
  const isDestructive = isAdditive !== true && (!createsResource || status === 202);
  return {
    description: {
      name: toolName(procedure),
      title,
      // The schema describes the fields, and the key has the scopes of every tool that it sees.
      description: `${title}. ${description ?? ''}`.trim(),
      inputSchema: inputSchemaOf(input),
      annotations: {
        readOnlyHint: type === 'query',
        destructiveHint: type === 'mutation' && isDestructive,
        idempotentHint: !isCreation,
        openWorldHint: isOpenWorld === true,
      },
    },
    outputSchema: () => (hasOutput ? (outputSchema ??= outputSchemaOf(output)) : undefined),
    isListed: ({ scopes }) => {
      const hasScope = (scope: MemberScope) => scopes.includes(scope);
      return required.every(hasScope) && (listedScopes?.some(hasScope) ?? true);
    },
    call: compileProcedure(router, procedure),
    readArguments: compileArguments(input),
  };
}

/** REST operation that calls this procedure in place of another one. */
function operationOfVariant(router: AnyTRPCRouter, variant: string): Meta['openapi'] {
  return Object.keys(router._def.procedures)
    .map((name) => definitionOf(router, name).meta)
    .find(({ response }) => response?.variant === variant)?.openapi;
}
