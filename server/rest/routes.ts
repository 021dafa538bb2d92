import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import {
  definitionOf,
  requireSameScopes,
  compileProcedure,
  listJsonOf,
} from '../../procedures/core/declaration/compile.ts';
import type { Meta, Deprecation } from '../../procedures/core/declaration/meta.ts';
import { procedureOf, restRouter } from '../../procedures/core/declaration/rest-router.ts';
import { compileJsonBody } from './body.ts';
import { compileJson } from './response/json.ts';
import { compileExports, compileNdjson } from './response/stream.ts';
import type { Route } from './route.ts';

/** Removes `optional()`, `nullable()` and `default()` from a schema. */
function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? unwrapSchema(schema.unwrap()) : schema;
}

const fieldMetadataOf = (field: z.core.$ZodType): z.core.GlobalMeta => ({
  ...z.globalRegistry.get(unwrapSchema(field)),
  ...z.globalRegistry.get(field),
});

/** Prefix of the paths in the metadata. */
const METADATA_PREFIX = '/external';

/**
 * Derives all REST operations from the router.
 * @param prefix of the paths, in place of the one in the metadata
 * @throws Error if a procedure cannot be served over REST
 */
export function compileRoutes(service: AnyTRPCRouter, prefix: `/${string}` = METADATA_PREFIX): Route[] {
  const router = restRouter(service);
  const mountPath = (path: `/${string}`): `/${string}` =>
    path.startsWith(`${METADATA_PREFIX}/`) ? `${prefix}/${path.slice(METADATA_PREFIX.length + 1)}` : path;
  return Object.keys(router._def.procedures).flatMap((procedure) => {
    const { openapi, response } = definitionOf(router, procedure).meta;
    if (openapi === undefined) return [];
    const compile = (name: string) => compileRoute(router, name, openapi, mountPath);
    const route = compile(procedure);
    if (response === undefined || response.kind === 'upsert' || response.kind === 'bytes') return [route];
    const { ndjson, csv, export: exported } = response;
    for (const file of [csv, exported?.csv])
      if (file !== undefined) requireSameScopes(router, procedure, file.procedure);
    if (ndjson !== undefined) return [{ ...route, streams: compileNdjson(route, ndjson, compile, csv) }];
    if (exported === undefined) return [route];
    requireSameScopes(router, procedure, exported.procedure);
    return [{ ...route, streams: compileExports(compile, exported) }];
  });
}

/**
 * Derives the operations with `meta.session`, with paths below `/session`. The resource that they create is read below
 * `/external`, so `Location` stays.
 */
export function compileSessionRoutes(service: AnyTRPCRouter): Route[] {
  const flagged = Object.entries<AnyTRPCProcedure>(service._def.procedures).filter(
    ([name]) => definitionOf(service, name).meta.session === true,
  );
  const router = { ...service, _def: { ...service._def, procedures: Object.fromEntries(flagged) } };
  const responses = new Map(compileRoutes(router).map((route) => [route.procedure, route.response]));
  const routes = compileRoutes(router, '/session');
  for (const route of routes) route.response = responses.get(route.procedure) ?? route.response;
  return routes;
}

/** Minimum number of days from the deprecation of an operation to its removal: docs/versioning.md. */
const MIN_NOTICE_DAYS = 180;

/**
 * Builds the headers that announce a removal: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
 * @throws Error if a date is invalid, or if the sunset comes before the end of the notice period
 */
function deprecationHeaders(procedure: string, { since, sunset }: Deprecation): Record<string, string> {
  const deprecatedAt = parseDay(procedure, since);
  const headers = { Deprecation: `@${deprecatedAt.getTime() / 1000}` };
  if (sunset === undefined) return headers;
  const sunsetAt = parseDay(procedure, sunset);
  if (sunsetAt.getTime() - deprecatedAt.getTime() < MIN_NOTICE_DAYS * 86_400_000) {
    throw new Error(`${procedure}: expected sunset at least ${MIN_NOTICE_DAYS} days after ${since}`);
  }
  return { ...headers, Sunset: sunsetAt.toUTCString() };
}

function parseDay(procedure: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new Error(`${procedure}: expected a date as YYYY-MM-DD, not ${text}`);
  }
  return day;
}

/** Compiles a procedure for a method and a path. */
function compileRoute(
  router: AnyTRPCRouter,
  procedure: string,
  { method, path, errorResponses }: NonNullable<Meta['openapi']>,
  mountPath: (path: `/${string}`) => `/${string}`,
): Route {
  const { type, meta, inputs } = definitionOf(router, procedure);
  const calledProcedure = meta.response?.variant ?? procedure;
  requireSameScopes(router, procedure, calledProcedure);
  const template = mountPath(path);
  const objects = inputs.map(unwrapSchema).filter((input) => input instanceof z.ZodObject);
  const shape = objects.flatMap((object) => Object.entries<z.core.$ZodType>(object.shape));
  const fieldsOf = (Schema: typeof z.ZodNumber | typeof z.ZodBoolean | typeof z.ZodISODateTime) =>
    new Set(shape.filter(([, field]) => unwrapSchema(field) instanceof Schema).map(([name]) => name));
  const pathParameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const { queryFields = [] } = meta.body ?? {};
  const fields = shape.flatMap(([name, field]) =>
    pathParameters.includes(name) || queryFields.includes(name) ? [] : [field],
  );
  const isObject = objects.length === inputs.length;
  const body = meta.body?.kind === 'file' ? meta.body : compileJsonBody(method, meta, fields, isObject);
  const inputSchemas = inputs.length === 0 ? [z.strictObject({})] : inputs;
  return {
    method,
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
    type,
    procedure: procedureOf(procedure),
    call: compileProcedure(router, calledProcedure),
    pathParameters,
    numericFields: fieldsOf(z.ZodNumber),
    booleanFields: fieldsOf(z.ZodBoolean),
    timestampFields: fieldsOf(z.ZodISODateTime),
    body,
    queryFields:
      body === undefined
        ? shape.map(([name]) => name).filter((name) => !pathParameters.includes(name))
        : [...queryFields],
    targetsItem: (method !== 'GET' && method !== 'POST') || meta.targetsItem === true,
    response: compileResponse(router, procedure, meta, mountPath),
    streams: undefined,
    errorStatuses: Array.isArray(errorResponses) ? errorResponses : [],
    beforeTransaction: meta.beforeTransaction,
    deprecationHeaders: meta.deprecated && deprecationHeaders(procedure, meta.deprecated),
    scopes: meta.scopes,
    isValidInput: async (rawInput) =>
      (await Promise.all(inputSchemas.map((input) => input.safeParseAsync(rawInput)))).every(({ success }) => success),
    fieldMetadata: new Map(shape.map(([name, field]) => [name, fieldMetadataOf(field)])),
  };
}

function compileResponse(
  router: AnyTRPCRouter,
  procedure: string,
  { response = { kind: 'json' } }: Meta,
  mountPath: (path: `/${string}`) => `/${string}`,
): Route['response'] {
  if (response.kind === 'list') return { ...response, listJson: listJsonOf(router, procedure) };
  if (response.kind === 'bytes') return response;
  const { location } = response;
  const mounted = { ...response, ...(location !== undefined && { location: mountPath(location) }) };
  return mounted.kind === 'json' ? compileJson(router, procedure, mounted) : mounted;
}
