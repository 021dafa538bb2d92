import type { Context } from 'koa';
import { responseEntityTag } from '../../procedures/core/entity-tag.ts';
import { isCurrentState } from './query-string.ts';
import type { RequestHeaders } from './request-headers.ts';
import type { Route } from './routes.ts';

/** Content type that Koa derives from `json`. The constant saves the lookup for each response. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Target of a response: the Koa context, or a recorded response. */
export interface ResponseTarget {
  status: number;
  body: unknown;
  set(name: string, value: string): void;
}

/** Writes the output of a procedure as its route and the request headers demand. */
export function writeResponse(
  target: ResponseTarget,
  ctx: Context,
  route: Route,
  output: unknown,
  { prefer, matchesIfNoneMatch }: RequestHeaders,
  isDryRun = false,
): void {
  const upsert = route.isUpsert ? getField(output, 'upsert') : undefined;
  const representation = route.isUpsert ? getField(output, 'item') : output;
  // A past state gets no entity tag, so that no client sends it in `If-Match` for the current state.
  if (route.hasEntityTag && isCurrentState(ctx.querystring)) {
    const entityTag = responseEntityTag(representation);
    target.set('ETag', `"${entityTag}"`);
    if (matchesIfNoneMatch(entityTag)) {
      target.status = 304;
      return;
    }
  }
  if (typeof upsert === 'string') target.set('X-Upsert', upsert);
  if (isDryRun) target.set('X-Dry-Run', 'true');
  if (prefer !== undefined) target.set('Preference-Applied', `return=${prefer}`);
  if (route.noContent && prefer !== 'representation') {
    target.body = null; // before the status, which Koa would set to 204
    target.status = route.successStatus;
    return;
  }
  const createsNothing = upsert !== undefined && upsert !== 'created';
  target.status = createsNothing || route.noContent ? 200 : route.successStatus;
  if (route.location !== undefined && !createsNothing && !isDryRun) {
    target.set(
      'Location',
      route.location.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(getField(representation, name))),
    );
  }
  if (route.totalCountField !== undefined) target.set('X-Total-Count', String(getField(output, route.totalCountField)));
  if (route.bareArray) setNextLink(ctx, getField(output, 'nextCursor'));
  target.set('Content-Type', JSON_CONTENT_TYPE);
  target.body = JSON.stringify(route.bareArray ? getField(output, 'items') : representation);
}

/** Writes a list that is serialized already. */
export function writeJsonList(ctx: Context, { json, total }: { json: string; total: number }): void {
  ctx.status = 200;
  ctx.set('X-Total-Count', String(total));
  ctx.set('Content-Type', JSON_CONTENT_TYPE);
  ctx.body = json;
}

/** Sets `Link` to the next page (RFC 8288): the requested path and query with the new cursor. */
function setNextLink(ctx: Context, cursor: unknown): void {
  if (typeof cursor !== 'string') return;
  const query = new URLSearchParams(ctx.querystring);
  query.set('cursor', cursor);
  ctx.set('Link', `<${ctx.path}?${query.toString()}>; rel="next"`);
}

/** Copies an object without a field. */
export const withoutField = (output: unknown, name: string): object =>
  Object.fromEntries(Object.entries(Object(output)).filter(([field]) => field !== name));

/** Returns a field of an object, or undefined if the field or the object is missing. */
export function getField(output: unknown, name: string): unknown {
  return typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;
}
