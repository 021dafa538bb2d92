import type { Context } from 'koa';
import { responseEntityTag } from '../../procedures/core/entity-tag.ts';
import { setNextLink } from './link.ts';
import { isCurrentState } from './query-string.ts';
import type { Route } from './routes.ts';
import type { RequestHeaders } from './request-headers.ts';

/** Koa's own for `json`, which it would look up for each answer. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Where a reply is written: the answer itself, or what is kept of it. */
export interface ResponseTarget {
  status: number;
  body: unknown;
  set(name: string, value: string): void;
}

/** Answers with what a procedure gave, as its route says and its sender wishes. */
export function writeResponse(
  target: ResponseTarget,
  ctx: Context,
  route: Route,
  output: unknown,
  { prefer, matchesIfNoneMatch }: RequestHeaders,
): void {
  // What an item was at some moment is another resource: its tag would mislead a change of the present one.
  if (route.hasEntityTag && isCurrentState(ctx.querystring)) {
    const entityTag = responseEntityTag(output);
    target.set('ETag', `"${entityTag}"`);
    if (matchesIfNoneMatch(entityTag)) {
      target.status = 304;
      return;
    }
  }
  if (prefer !== undefined) target.set('Preference-Applied', `return=${prefer}`);
  if (route.noContent && prefer !== 'representation') {
    target.status = 204;
    return;
  }
  target.status = 200;
  if (route.location !== undefined) {
    target.status = 201;
    target.set(
      'Location',
      route.location.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(getField(output, name))),
    );
  }
  if (route.totalCountField !== undefined) target.set('X-Total-Count', String(getField(output, route.totalCountField)));
  if (route.bareArray) setNextLink(ctx, getField(output, 'nextCursor'));
  target.set('Content-Type', JSON_CONTENT_TYPE);
  target.body = JSON.stringify(route.bareArray ? getField(output, 'items') : output);
}

/** Answers with a list that is JSON already. */
export function writeJsonList(ctx: Context, { json, total }: { json: string; total: number }): void {
  ctx.status = 200;
  ctx.set('X-Total-Count', String(total));
  ctx.set('Content-Type', JSON_CONTENT_TYPE);
  ctx.body = json;
}

/** @returns undefined where there is none */
export function getField(output: unknown, name: string): unknown {
  return typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;
}
