import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Principal } from '../../entities/principal.ts';
import { compileProcedure, definitionOf } from '../../procedures/core/compile.ts';
import type { Call } from '../../procedures/core/compile.ts';
import type { Meta } from '../../procedures/core/meta.ts';
import { ADDITIVE, BATCHES, DESCRIPTIONS, EXCEPTIONS, LISTED_SCOPES } from './catalog.ts';
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
}

/** Names of the procedures for API keys. Each is a tool or stands in `EXCEPTIONS`. */
export const businessProcedures = (router: AnyTRPCRouter): string[] =>
  Object.keys(router._def.procedures).filter(
    (name) => definitionOf(router, name).meta.callers?.includes('apiKey') === true,
  );

/** Some clients reject names with dots. */
export const toolName = (procedure: string): string => procedure.replaceAll('.', '_');

/**
 * Makes a tool of every business procedure that is no exception.
 * @throws Error for a procedure that cannot be a tool
 */
export function compileTools(router: AnyTRPCRouter): ReadonlyMap<string, Tool> {
  const names = businessProcedures(router).filter((name) => !Object.hasOwn(EXCEPTIONS, name));
  return new Map(names.map((name) => [toolName(name), compileTool(router, name)]));
}

function compileTool(router: AnyTRPCRouter, procedure: string): Tool {
  const { inputs, output, type, meta } = definitionOf(router, procedure);
  const operation = meta.openapi ?? operationOfVariant(router, procedure);
  const [input, ...others] = inputs;
  if (operation?.summary === undefined || input === undefined || others.length > 0)
    throw new Error(`${procedure}: expected a summary and one input schema, or an exception in server/mcp/catalog.ts`);
  const hasOutput = output !== undefined && !(output instanceof z.ZodVoid);
  let outputSchema: JsonSchema | undefined;
  const { scopes: required = [], response } = meta;
  const isBatch = BATCHES.has(procedure);
  const isCreation =
    isBatch ||
    (response?.kind === 'json' &&
      (response.location !== undefined ||
        response.secretField !== undefined || // a new secret
        response.status === 202)); // new work in the background
  return {
    description: {
      name: toolName(procedure),
      title: operation.summary,
      description: descriptionOf(procedure, operation),
      inputSchema: inputSchemaOf(input),
      annotations: {
        readOnlyHint: type === 'query',
        destructiveHint: type === 'mutation' && !ADDITIVE.has(procedure),
        idempotentHint: !isCreation,
        openWorldHint: procedure.startsWith('webhook.'), // they reach servers outside of this one
      },
    },
    outputSchema: () => (hasOutput ? (outputSchema ??= outputSchemaOf(output)) : undefined),
    isListed: ({ scopes }) => {
      const hasScope = (scope: MemberScope) => scopes.includes(scope);
      return required.every(hasScope) && (LISTED_SCOPES[procedure]?.some(hasScope) ?? true);
    },
    call: compileProcedure(router, procedure),
  };
}

/** REST operation that calls this procedure in place of another one. */
function operationOfVariant(router: AnyTRPCRouter, variant: string): Meta['openapi'] {
  return Object.keys(router._def.procedures)
    .map((name) => definitionOf(router, name).meta)
    .find(({ response }) => response?.variant === variant)?.openapi;
}

/** Text for a model. The schema describes the fields, and the key has the scopes of every tool that it sees. */
function descriptionOf(procedure: string, { summary = '', description = '' }: NonNullable<Meta['openapi']>): string {
  return [`${summary}.`, DESCRIPTIONS[procedure] ?? description].join(' ').trim();
}
