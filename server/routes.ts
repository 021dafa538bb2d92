import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { Right } from '../procedures/rights.ts';
import { definitionOf, requireSameMiddlewares, runOf, writtenOf } from '../procedures/run.ts';
import type { Run } from '../procedures/run.ts';
import { noticesOf } from './deprecation.ts';

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
  run: Run;
  /** Gives all of a list at once, already written, where it is not too long. */
  written: ReturnType<typeof writtenOf>;
  pathParameters: string[];
  /** Inputs from the path or the query whose text stands for a number. */
  numbers: Set<string>;
  /** Inputs that are timestamps. */
  moments: Set<string>;
  takesBody: boolean;
  /** Whether it is about one resource, which its path names. */
  isOfOne: boolean;
  /** Whether its answers have an entity tag. */
  isTagged: boolean;
  /** The schema of what it answers to who prefers to see it; undefined where there is no choice. */
  shows: string | undefined;
  /** Whether success has nothing to say: 204. */
  isSilent: boolean;
  location: string | undefined;
  totalCount: string | undefined;
  /** Whether the body is the answer's `items`, and the rest of it goes into headers. */
  isBareList: boolean;
  /** Whether all its pages are also given as lines. */
  everyPage: boolean;
  /** What its answers say of its end; undefined while none is planned. */
  notices: Record<string, string> | undefined;
  /** What it asks of a key: 403 where that is lacking. */
  right: Right | undefined;
  /** Whether an input has the fields that it takes. */
  accepts: (input: unknown) => Promise<boolean>;
  /** What is said of the fields of its input, before `optional()` and behind it. */
  fields: Map<string, z.core.GlobalMeta>;
}

/** Methods whose input comes in a body. */
const BODIED = new Set(['POST', 'PUT', 'PATCH']);

/** A type without what is said of its absence. */
function plain(type: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault;
  return isWrapped ? plain(type.unwrap()) : type;
}

const saidOf = (field: z.core.$ZodType): z.core.GlobalMeta => ({
  ...z.globalRegistry.get(plain(field)),
  ...z.globalRegistry.get(field),
});

/** The name that a procedure's answer has in the document. */
function schemaOf(router: AnyTRPCRouter, procedure: string): string | undefined {
  const { output } = definitionOf(router, procedure);
  return output && z.globalRegistry.get(output)?.id;
}

/**
 * Every REST operation of the router.
 * @throws Error if a procedure cannot be served over REST
 */
export const routesOf = (router: AnyTRPCRouter): Route[] =>
  Object.keys(router._def.procedures).flatMap((procedure) => {
    const { type, meta, inputs, output } = definitionOf(router, procedure);
    if (meta.openapi === undefined) return [];
    const called = meta.pagedBy ?? meta.shownBy ?? procedure;
    requireSameMiddlewares(router, procedure, called);
    const { method, path: template } = meta.openapi;
    const objects = inputs.map(plain).filter((input) => input instanceof z.ZodObject);
    const shape = objects.flatMap((object) => Object.entries<z.core.$ZodType>(object.shape));
    const accepted = inputs.length === 0 ? [z.strictObject({})] : inputs;
    return {
      method,
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
      type,
      procedure,
      run: runOf(router, called),
      written: writtenOf(router, procedure),
      pathParameters: [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      numbers: new Set(shape.filter(([, field]) => plain(field) instanceof z.ZodNumber).map(([name]) => name)),
      moments: new Set(shape.filter(([, field]) => plain(field) instanceof z.ZodISODateTime).map(([name]) => name)),
      takesBody: BODIED.has(method),
      isOfOne: method === 'PATCH' || method === 'DELETE',
      isTagged: meta.tagged === true,
      shows: meta.shownBy === undefined ? undefined : schemaOf(router, meta.shownBy),
      isSilent: output instanceof z.ZodVoid,
      location: meta.location,
      totalCount: meta.pagedBy === undefined ? meta.totalCount : 'total',
      isBareList: meta.pagedBy !== undefined,
      everyPage: meta.everyPage === true,
      notices: meta.deprecated && noticesOf(procedure, meta.deprecated),
      right: meta.right,
      accepts: async (given) =>
        (await Promise.all(accepted.map((input) => input.safeParseAsync(given)))).every(({ success }) => success),
      fields: new Map(shape.map(([name, field]) => [name, saidOf(field)])),
    };
  });
