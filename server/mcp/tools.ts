import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { forModels } from '../../entities/fields/schemas.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Principal } from '../../entities/principal.ts';
import { compileProcedure, definitionOf } from '../../procedures/core/declaration/compile.ts';
import type { Call } from '../../procedures/core/declaration/compile.ts';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { fieldName } from '../../procedures/core/errors.ts';
import { withNullableTypes } from '../openapi/schemas.ts';

/** JSON Schema of an input or an output of a tool. */
type JsonSchema = Record<string, unknown>;

const REFERENCE_PREFIX = '#/components/schemas/';

/** Input schema of a tool. MCP requires an object. A model reads it with every list, so it is short. */
const inputSchemaOf = (schema: z.ZodType): JsonSchema & { type: 'object' } => ({
  ...toJsonSchema(schema, 'input', isOmittedInInput),
  type: 'object',
});

/** Largest integer id. */
const MAX_INT32 = 2_147_483_647;
/** Bounds of longer texts are left out: a model seldom reaches them. */
const MAX_SHORT_TEXT = 255;

/** Returns true for a keyword of an input schema that another one implies, or that helps no model to find a value. */
function isOmittedInInput(keyword: string, schema: JsonSchema): boolean {
  const { [keyword]: value, maximum } = schema;
  switch (keyword) {
    case 'examples':
    case 'minLength':
      return true;
    case 'default':
      return value === false;
    case 'format':
      return value === 'int32' || value === 'uuid'; // ids come from other tools
    case 'minimum':
    case 'maximum':
      return maximum === MAX_INT32;
    case 'maxLength':
      return Number(value) > MAX_SHORT_TEXT || 'format' in schema || 'pattern' in schema;
    case 'description':
      return REPEATED_NAME.test(String(value));
    default:
      return false;
  }
}

/** Description of a field like `taskUniqueId`, which its name has already. */
const REPEATED_NAME = /^The \w+’s uniqueId$/;

/** Keywords that an output schema does without: a client validates results, and a model reads the list. */
const OMITTED_IN_OUTPUT: ReadonlySet<string> = new Set([
  'additionalProperties', // a client that keeps the list may then receive a new field
  'description', // the fields have the names of inputs, whose descriptions remain
  'examples',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minimum',
]);

/** Output schema of a tool. */
const outputSchemaOf = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, 'output', (keyword) => OMITTED_IN_OUTPUT.has(keyword));

/** Keywords that the conversion resolves, that repeat the limits of JSON objects, or that make an array of a text in a query. */
const isReplaced = (keyword: string) => ['$ref', 'propertyNames', 'listOf'].includes(keyword);

/** Returns true for a schema, which a property with the name of a keyword has. */
const isSchema = (value: unknown) => typeof value === 'object' && !Array.isArray(value);

/** Converts a schema as the OpenAPI document does, with every reference inlined: clients of 2025 cannot follow references. */
function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  isOmitted: (keyword: string, schema: JsonSchema) => boolean,
): JsonSchema {
  const { schema: root, components } = createSchema(schema, {
    io,
    openapiVersion: '3.1.0',
    opts: { override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, forModels.get(zodSchema)) },
  });
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    return typeof value === 'object' && value !== null ? inlineObject(value) : value;
  };
  const inlineObject = (value: object): JsonSchema => {
    const keywords: JsonSchema = { ...value };
    const entries = Object.entries(keywords)
      .filter(([name, field]) => !isReplaced(name) && !(isOmitted(name, keywords) && !isSchema(field)))
      .map(([name, field]) => [name, inline(field)]);
    const target = '$ref' in keywords ? componentOf(String(keywords['$ref'])) : {};
    return { ...target, ...Object.fromEntries(entries) };
  };
  const componentOf = (reference: string): JsonSchema => {
    const component = components[reference.slice(REFERENCE_PREFIX.length)];
    if (component === undefined) throw new Error(`${reference}: no such component`);
    return inlineObject(component);
  };
  return withNullableTypes(inlineObject(root));
}

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

/** Arguments of a call as the procedure takes them. */
interface ToolArguments {
  input: Record<string, unknown>;
  /** Names of the arguments that the tool does not have. */
  ignored: string[];
}

/**
 * Compiles a reader of the arguments of a tool. Models and the clients around them send arguments that a tool does not have, and null for
 * those that they leave out. Each would cost a call that fails, and often the task. So the top level is lenient, for MCP alone; objects
 * inside of it are as strict as everywhere.
 * @throws Error unless the input is an object
 */
function compileArguments(input: z.ZodType): (sent: object) => ToolArguments {
  const schema = input instanceof z.ZodOptional ? input.unwrap() : input;
  if (!(schema instanceof z.ZodObject)) throw new Error('expected an object as input');
  const fields = Object.entries<z.core.$ZodType>(schema.shape);
  const known = new Set(fields.map(([name]) => name));
  const omittedIfNull = new Set(
    fields
      .filter(([, field]) => field._zod.optin !== undefined && !z.safeParse(field, null).success)
      .map(([name]) => name),
  );
  return (sent) => {
    const entries = Object.entries(sent);
    return {
      input: Object.fromEntries(
        entries.filter(([name, value]) => known.has(name) && !(value === null && omittedIfNull.has(name))),
      ),
      ignored: entries.flatMap(([name]) => (known.has(name) ? [] : [redactSecrets(fieldName(name))])),
    };
  };
}
