import type { Context } from 'koa';
import { tagOfAnswer } from '../procedures/tag.ts';
import { linkToNext } from './link.ts';
import { isOfNow } from './query.ts';
import type { Route } from './routes.ts';
import type { Wishes } from './wishes.ts';

/** Koa's own for `json`, which it would look up for each answer. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Where a reply is written: the answer itself, or what is kept of it. */
export interface Target {
  status: number;
  body: unknown;
  set(name: string, value: string): void;
}

/** Answers with what a procedure gave, as its route says and its sender wishes. */
export function reply(to: Target, ctx: Context, route: Route, output: unknown, { prefers, isKnown }: Wishes): void {
  // What an item was at some moment is another resource: its tag would mislead a change of the present one.
  if (route.isTagged && isOfNow(ctx.querystring)) {
    const tag = tagOfAnswer(output);
    to.set('ETag', `"${tag}"`);
    if (isKnown(tag)) {
      to.status = 304;
      return;
    }
  }
  if (prefers !== undefined) to.set('Preference-Applied', `return=${prefers}`);
  if (route.isSilent && prefers !== 'representation') {
    to.status = 204;
    return;
  }
  to.status = 200;
  if (route.location !== undefined) {
    to.status = 201;
    to.set(
      'Location',
      route.location.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(fieldOf(output, name))),
    );
  }
  if (route.totalCount !== undefined) to.set('X-Total-Count', String(fieldOf(output, route.totalCount)));
  if (route.isBareList) linkToNext(ctx, fieldOf(output, 'nextCursor'));
  to.set('Content-Type', JSON_TYPE);
  to.body = JSON.stringify(route.isBareList ? fieldOf(output, 'items') : output);
}

/** Answers with a list that is JSON already. */
export function replyWritten(ctx: Context, { json, total }: { json: string; total: number }): void {
  ctx.status = 200;
  ctx.set('X-Total-Count', String(total));
  ctx.set('Content-Type', JSON_TYPE);
  ctx.body = json;
}

/** @returns undefined where there is none */
export function fieldOf(output: unknown, name: string): unknown {
  return typeof output === 'object' && output !== null ? Reflect.get(output, name) : undefined;
}
