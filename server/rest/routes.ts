import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { definitionOf, requireSameMiddlewares, compileProcedure, listJsonOf } from '../../procedures/core/compile.ts';
import type { Call } from '../../procedures/core/compile.ts';
import type { Meta } from '../../procedures/core/meta.ts';
import { restRouter } from '../../procedures/core/rest-router.ts';
import type { CsvFile } from '../../procedures/import/export.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { StreamedPages } from '../../procedures/schemas/pagination.ts';
import { MAX_BODY_BYTES } from '../http/body/json-body.ts';
import { deprecationHeaders } from './deprecation.ts';

/** A REST operation, derived from the `meta.openapi` of a procedure. */
export interface Route {
  method: string;
  /** Path with `{parameters}`, as in the OpenAPI document. */
  template: string;
  pattern: RegExp;
  /** Name of the procedure, for example `vendor.get`. */
  procedure: string;
  type: 'query' | 'mutation';
  /** Calls the procedure, or its paged or returning variant. */
  call: Call;
  /** Returns a whole list as JSON text, or undefined if the list is too long. */
  listJson: ReturnType<typeof listJsonOf>;
  pathParameters: string[];
  /** Numeric input fields. The path and the query contain them as text. */
  numericFields: Set<string>;
  /** Boolean input fields. The query contains them as text. */
  booleanFields: Set<string>;
  /** Input fields that are timestamps. */
  timestampFields: Set<string>;
  hasBody: boolean;
  /** True if a request may leave out the body, because it has no required field. */
  isBodyOptional: boolean;
  /** Input fields in the query: with a body those of `queryFields`, else all except the path parameters. */
  queryFields: string[];
  /** Resources in the file that is the body; undefined for a JSON body. */
  fileUpload: ImportKind | undefined;
  /** Maximum size of the body in bytes. */
  maxBodyBytes: number;
  /** True for a change of one existing resource, which the path names. */
  targetsItem: boolean;
  /** True if responses have an entity tag. */
  hasEntityTag: boolean;
  /** Schema name of the response to `Prefer: return=representation`; undefined if the operation has no choice. */
  representation: string | undefined;
  /** True if success has no body: 204. */
  noContent: boolean;
  /** True if the output is `{upsert, item}`. */
  isUpsert: boolean;
  /** Error statuses that the operation declares, beside those that it has by its kind. */
  errorStatuses: readonly number[];
  /** Success status, except for an upsert that creates nothing. */
  successStatus: 200 | 201 | 202 | 204;
  location: string | undefined;
  totalCountField: string | undefined;
  /** Response field that a replay leaves out, because it is a secret. */
  secretField: string | undefined;
  /** True if the body is the `items` of the output. The other fields become headers. */
  bareArray: boolean;
  /** The list as a file: a procedure that reads it page by page, and its CSV format. */
  exports: { route: Route; csv: (hasSource: boolean) => CsvFile } | undefined;
  /** The pages that the operation also sends as NDJSON; undefined if it does not. */
  ndjson: StreamedPages | undefined;
  /** True if the cursor is a position in the audit log, which a restored database may have lost: 410. */
  cursorMayBeLost: boolean;
  /** Check of the input that runs before the transaction of an idempotent request. */
  beforeTransaction: Meta['beforeTransaction'];
  /** `Deprecation` and `Sunset` headers; undefined unless the operation is deprecated. */
  deprecationHeaders: Record<string, string> | undefined;
  /** Scopes that the API key needs, all of them. Without one the response is 403. */
  scopes: readonly MemberScope[] | undefined;
  /** Resolves to true if the input passes the input schemas. */
  isValidInput: (input: unknown) => Promise<boolean>;
  /** Metadata of each input field, merged from the schemas inside and outside `optional()`. */
  fieldMetadata: Map<string, z.core.GlobalMeta>;
}

/** Methods with a request body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

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

/** Returns the name of the output schema of a procedure in the OpenAPI document. */
function outputSchemaName(router: AnyTRPCRouter, procedure: string): string | undefined {
  const { output } = definitionOf(router, procedure);
  return output && z.globalRegistry.get(output)?.id;
}

/**
 * Derives all REST operations from the router.
 * @throws Error if a procedure cannot be served over REST
 */
export function compileRoutes(service: AnyTRPCRouter): Route[] {
  const router = restRouter(service);
  return Object.keys(router._def.procedures).flatMap((procedure) => {
    const { openapi, export: exported } = definitionOf(router, procedure).meta;
    if (openapi === undefined) return [];
    const route = compileRoute(router, procedure, openapi);
    if (exported === undefined) return [route];
    requireSameMiddlewares(router, procedure, exported.procedure);
    return [{ ...route, exports: { route: compileRoute(router, exported.procedure, openapi), csv: exported.csv } }];
  });
}

/** Compiles a procedure for a method and a path. */
function compileRoute(
  router: AnyTRPCRouter,
  procedure: string,
  { method, path: template, errorResponses }: NonNullable<Meta['openapi']>,
): Route {
  const { type, meta, inputs, output } = definitionOf(router, procedure);
  const calledProcedure = meta.pagedVariant ?? meta.returningVariant ?? procedure;
  requireSameMiddlewares(router, procedure, calledProcedure);
  const objects = inputs.map(unwrapSchema).filter((input) => input instanceof z.ZodObject);
  const shape = objects.flatMap((object) => Object.entries<z.core.$ZodType>(object.shape));
  const fieldsOf = (Schema: typeof z.ZodNumber | typeof z.ZodBoolean | typeof z.ZodISODateTime) =>
    new Set(shape.filter(([, field]) => unwrapSchema(field) instanceof Schema).map(([name]) => name));
  const pathParameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const bodyFields = shape.filter(
    ([name]) => !pathParameters.includes(name) && meta.queryFields?.includes(name) !== true,
  );
  const takesNoBody = bodyFields.length === 0 && objects.length === inputs.length && meta.fileUpload === undefined;
  const hasBody = METHODS_WITH_BODY.has(method) && !takesNoBody;
  const isBodyOptional =
    method === 'POST' &&
    meta.fileUpload === undefined &&
    bodyFields.every(([, field]) => field._zod.optin !== undefined);
  const noContent = output instanceof z.ZodVoid;
  if (
    meta.secretField !== undefined &&
    !(output instanceof z.ZodObject && Object.hasOwn(output.shape, meta.secretField))
  )
    throw new Error(`${procedure}: secretField must be a field of the response`);
  const inputSchemas = inputs.length === 0 ? [z.strictObject({})] : inputs;
  return {
    method,
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
    type,
    procedure,
    call: compileProcedure(router, calledProcedure),
    listJson: listJsonOf(router, procedure),
    pathParameters,
    numericFields: fieldsOf(z.ZodNumber),
    booleanFields: fieldsOf(z.ZodBoolean),
    timestampFields: fieldsOf(z.ZodISODateTime),
    hasBody,
    isBodyOptional,
    queryFields: hasBody
      ? [...(meta.queryFields ?? [])]
      : shape.map(([name]) => name).filter((name) => !pathParameters.includes(name)),
    fileUpload: meta.fileUpload,
    maxBodyBytes: meta.maxBodyBytes ?? MAX_BODY_BYTES,
    targetsItem: method !== 'GET' && method !== 'POST',
    hasEntityTag: meta.hasEntityTag === true,
    representation: meta.returningVariant === undefined ? undefined : outputSchemaName(router, meta.returningVariant),
    noContent,
    isUpsert: meta.isUpsert === true,
    errorStatuses: Array.isArray(errorResponses) ? errorResponses : [],
    successStatus: meta.successStatus ?? (noContent ? 204 : meta.location === undefined ? 200 : 201),
    location: meta.location,
    totalCountField: meta.pagedVariant === undefined ? meta.totalCountField : 'total',
    secretField: meta.secretField,
    bareArray: meta.pagedVariant !== undefined,
    exports: undefined,
    ndjson: meta.ndjson,
    cursorMayBeLost: meta.cursorMayBeLost === true,
    beforeTransaction: meta.beforeTransaction,
    deprecationHeaders: meta.deprecated && deprecationHeaders(procedure, meta.deprecated),
    scopes: meta.scopes,
    isValidInput: async (rawInput) =>
      (await Promise.all(inputSchemas.map((input) => input.safeParseAsync(rawInput)))).every(({ success }) => success),
    fieldMetadata: new Map(shape.map(([name, field]) => [name, fieldMetadataOf(field)])),
  };
}
