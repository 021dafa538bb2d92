import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { Permission } from '../../procedures/core/permissions.ts';
import { definitionOf, requireSameMiddlewares, compileProcedure, listJsonOf } from '../../procedures/core/compile.ts';
import type { Call } from '../../procedures/core/compile.ts';
import { deprecationHeaders } from './deprecation.ts';

/** One operation of the REST face, made from a procedure's `meta.openapi`. */
export interface Route {
  method: string;
  /** The path with its `{parameters}`, as the document shows it. */
  template: string;
  pattern: RegExp;
  /** Name of its procedure: `vendor.get`. */
  procedure: string;
  type: 'query' | 'mutation';
  /** Calls that, or the one that pages it. */
  call: Call;
  /** Gives all of a list at once, already written, where it is not too long. */
  listJson: ReturnType<typeof listJsonOf>;
  pathParameters: string[];
  /** Inputs from the path or the query whose text stands for a number. */
  numericFields: Set<string>;
  /** Inputs that are timestamps. */
  moments: Set<string>;
  hasBody: boolean;
  /** Whether it is about one resource, which its path names. */
  targetsItem: boolean;
  /** Whether its answers have an entity tag. */
  hasEntityTag: boolean;
  /** The schema of what it answers to who prefers to see it; undefined where there is no choice. */
  representation: string | undefined;
  /** Whether success has nothing to say: 204. */
  noContent: boolean;
  location: string | undefined;
  totalCountField: string | undefined;
  /** Whether the body is the answer's `items`, and the rest of it goes into headers. */
  bareArray: boolean;
  /** Whether all its pages are also given as lines. */
  ndjson: boolean;
  /** What its answers say of its end; undefined while none is planned. */
  deprecationHeaders: Record<string, string> | undefined;
  /** What it asks of a key: 403 where that is lacking. */
  permission: Permission | undefined;
  /** Whether an input has the fields that it takes. */
  isValidInput: (input: unknown) => Promise<boolean>;
  /** What is said of the fields of its input, before `optional()` and behind it. */
  fieldMetadata: Map<string, z.core.GlobalMeta>;
}

/** Methods whose input comes in a body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** A type without what is said of its absence. */
function unwrapSchema(type: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault;
  return isWrapped ? unwrapSchema(type.unwrap()) : type;
}

const fieldMetadataOf = (field: z.core.$ZodType): z.core.GlobalMeta => ({
  ...z.globalRegistry.get(unwrapSchema(field)),
  ...z.globalRegistry.get(field),
});

/** The name that a procedure's answer has in the document. */
function outputSchemaName(router: AnyTRPCRouter, procedure: string): string | undefined {
  const { output } = definitionOf(router, procedure);
  return output && z.globalRegistry.get(output)?.id;
}

/**
 * Every REST operation of the router.
 * @throws Error if a procedure cannot be served over REST
 */
export const compileRoutes = (router: AnyTRPCRouter): Route[] =>
  Object.keys(router._def.procedures).flatMap((procedure) => {
    const { type, meta, inputs, output } = definitionOf(router, procedure);
    if (meta.openapi === undefined) return [];
    const calledProcedure = meta.pagedVariant ?? meta.returningVariant ?? procedure;
    requireSameMiddlewares(router, procedure, calledProcedure);
    const { method, path: template } = meta.openapi;
    const objects = inputs.map(unwrapSchema).filter((input) => input instanceof z.ZodObject);
    const shape = objects.flatMap((object) => Object.entries<z.core.$ZodType>(object.shape));
    const inputSchemas = inputs.length === 0 ? [z.strictObject({})] : inputs;
    return {
      method,
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
      type,
      procedure,
      call: compileProcedure(router, calledProcedure),
      listJson: listJsonOf(router, procedure),
      pathParameters: [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      numericFields: new Set(
        shape.filter(([, field]) => unwrapSchema(field) instanceof z.ZodNumber).map(([name]) => name),
      ),
      moments: new Set(
        shape.filter(([, field]) => unwrapSchema(field) instanceof z.ZodISODateTime).map(([name]) => name),
      ),
      hasBody: METHODS_WITH_BODY.has(method),
      targetsItem: method === 'PATCH' || method === 'DELETE',
      hasEntityTag: meta.hasEntityTag === true,
      representation: meta.returningVariant === undefined ? undefined : outputSchemaName(router, meta.returningVariant),
      noContent: output instanceof z.ZodVoid,
      location: meta.location,
      totalCountField: meta.pagedVariant === undefined ? meta.totalCountField : 'total',
      bareArray: meta.pagedVariant !== undefined,
      ndjson: meta.ndjson === true,
      deprecationHeaders: meta.deprecated && deprecationHeaders(procedure, meta.deprecated),
      permission: meta.permission,
      isValidInput: async (rawInput) =>
        (await Promise.all(inputSchemas.map((input) => input.safeParseAsync(rawInput)))).every(
          ({ success }) => success,
        ),
      fieldMetadata: new Map(shape.map(([name, field]) => [name, fieldMetadataOf(field)])),
    };
  });
