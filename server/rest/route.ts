import type { z } from 'zod';
import type { Context as KoaContext } from 'koa';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Call, listJsonOf } from '../../procedures/core/declaration/compile.ts';
import type {
  BytesResponse,
  FileBody,
  JsonResponse,
  ListResponse,
  Meta,
  StreamedPages,
  UpsertResponse,
} from '../../procedures/core/declaration/meta.ts';
import { methodNotAllowed, noSuchPath } from '../http/error-handler.ts';

/** A JSON body. */
export interface JsonBodyRoute {
  kind: 'json';
  /** True if a request may leave out the body, because it has no required field. */
  isOptional: boolean;
  /** Maximum size of the body in bytes. */
  maxBytes: number;
}

/** One JSON value, or nothing. */
export interface JsonRoute extends JsonResponse {
  /** True if success has no body: 204. */
  noContent: boolean;
  successStatus: 200 | 201 | 202 | 204;
  /** True if the value has a version. REST then sends its entity tag as `ETag`. */
  hasEntityTag: boolean;
  /** Schema name of the response to `Prefer: return=representation`; undefined if the operation has no choice. */
  representation: string | undefined;
}

/** A bare array, which is the `items` of the output. The other fields become headers. */
export interface ListRoute extends Omit<ListResponse, 'listJson'> {
  /** Returns a whole list as JSON text, or undefined if the list is too long. */
  listJson: ReturnType<typeof listJsonOf>;
}

/** All pages of a list, one after the other. */
export interface StreamRoute {
  kind: 'stream';
  pages: StreamedPages;
  /** True if the first page has the `total` of the list, for `X-Total-Count`. */
  hasTotal: boolean;
  format: StreamFormat;
  /** The file of an item, for the OpenAPI document, if it differs from what `format` writes. */
  example?: (item: unknown) => string;
}

/** Serialization of a streamed list. */
export interface StreamFormat {
  contentType: string;
  prefix: string;
  separator: string;
  suffix: string;
  /** `Content-Disposition` of a file. */
  disposition?: string;
  serialize: (items: readonly unknown[]) => string;
}

/** Streams in place of a JSON response. */
export interface StreamChoice {
  /** True for an export: `Accept` must name its media type, and a wildcard is not enough. */
  isExport: boolean;
  /** Operations by media type. */
  routes: ReadonlyMap<string, Route & { response: StreamRoute }>;
}

/** A REST operation, derived from the `meta.openapi` or `meta.operations` of a procedure. */
export interface Route {
  method: string;
  /** Path with `{parameters}`, as in the OpenAPI document. */
  template: string;
  pattern: RegExp;
  /** Name of the procedure, for example `vendor.get`. */
  procedure: string;
  type: 'query' | 'mutation';
  /** Calls the procedure, or its variant. */
  call: Call;
  pathParameters: string[];
  /** Numeric input fields. The path and the query contain them as text. */
  numericFields: Set<string>;
  /** Boolean input fields. The query contains them as text. */
  booleanFields: Set<string>;
  /** Input fields that are timestamps. */
  timestampFields: Set<string>;
  /** Body that the operation takes; undefined for none. */
  body: JsonBodyRoute | FileBody | undefined;
  /** Input fields in the query: with a body those that its metadata name, else all except the path parameters. */
  queryFields: string[];
  /** True for a change of one existing resource, which the path names. */
  targetsItem: boolean;
  response: JsonRoute | ListRoute | UpsertResponse | BytesResponse | StreamRoute;
  /** Streams that `Accept` selects; undefined if there are none. */
  streams: StreamChoice | undefined;
  /** Error statuses that the operation declares, beside those that it has by its kind. */
  errorStatuses: readonly number[];
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

type Responding = Pick<Route, 'response' | 'streams'> | undefined;

/** The response if it is one JSON value; otherwise undefined. */
export const jsonOf = (route: Responding): JsonRoute | undefined =>
  route?.response.kind === 'json' ? route.response : undefined;

/** Returns true if responses have an entity tag. */
export const hasEntityTag = (route: Responding): boolean =>
  route?.response.kind === 'upsert' || route?.response.kind === 'bytes' || jsonOf(route)?.hasEntityTag === true;

/** Returns true if responses may have `Content-Disposition`. */
export const hasFileName = (route: Responding): boolean =>
  route?.response.kind === 'bytes' ||
  [...(route?.streams?.routes.values() ?? [])].some(({ response }) => response.format.disposition !== undefined);

/** Path parameters, before percent-decoding. */
export type PathInput = Readonly<Record<string, string>>;

/** Puts each route before those whose parameters match its literal segments: `/webhook/new` before `/webhook/{webhook}`. */
export const literalsFirst = (routes: readonly Route[]): Route[] =>
  routes.reduce<Route[]>((ordered, route) => {
    const index = ordered.findIndex(
      ({ pattern, template }) => pattern.test(route.template) && !route.pattern.test(template),
    );
    return ordered.toSpliced(index === -1 ? ordered.length : index, 0, route);
  }, []);

/** Finds the route of a request. @throws ApiError 404, or 405 with `Allow` */
export function matchRoute(routes: readonly Route[], ctx: KoaContext): { route: Route; path: PathInput } {
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(ctx.path);
    if (match === null) continue;
    if (route.method === ctx.method || (route.method === 'GET' && ctx.method === 'HEAD')) {
      return { route, path: { ...match.groups } };
    }
    allowed.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []));
  }
  if (allowed.length === 0) throw noSuchPath();
  throw methodNotAllowed(ctx, allowed);
}
