import { callTRPCProcedure } from '@trpc/server';
import type { Context as KoaContext, Middleware } from 'koa';
import { Refusal } from '../entities/refusal.ts';
import { appRouter } from '../procedures/index.ts';
import { everyPage, refusePlace } from '../procedures/page.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Authentication } from './context.ts';
import { readJsonBody } from './json-body.ts';
import { replyWithLines, wantsLines } from './lines.ts';
import { routesOf } from './routes.ts';
import type { Route } from './routes.ts';

/** Digits beyond what a number can tell apart are no id, whichever they are. */
const numberOf = (digits: string) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * The REST face: the procedures that carry `meta.openapi`, called as their path and verb say. It stands in for
 * trpc-to-openapi's own Koa adapter, whose coercions and error bodies the contract rules out
 * (docs/decisions/0002-own-rest-transport.md). Checks come in the order of the contract, section 2.
 */
export function rest(authenticate: Authentication['apiKey']): Middleware<{ requestId: string }> {
  const routes = routesOf(appRouter);
  return async (ctx) => {
    const asked = { headers: ctx.req.headers, address: ctx.ip, requestId: ctx.state.requestId };
    const { context, headers: warnings } = await authenticate(asked);
    ctx.set(warnings);
    const { route, path } = find(routes, ctx);
    const call = (by: Context, getRawInput: () => Promise<unknown>): Promise<unknown> =>
      callTRPCProcedure({
        router: appRouter,
        path: route.procedure,
        type: route.type,
        getRawInput,
        ctx: { ...by, framework: frameworkOf(path) },
        signal: undefined,
        batchIndex: 0,
      });
    let input: Promise<Record<string, unknown>> | undefined;
    // Asked for once the key's rights are checked: until then no body is read.
    const getInput = () => (input ??= inputOf(route, path, ctx));
    if (!route.everyPage || !wantsLines(ctx)) {
      reply(ctx, route, await call(context, getInput));
      return;
    }
    // Each page is a request of its own to the key: when it is revoked, the lines end.
    const pages = everyPage(async (place) =>
      call((await authenticate(asked)).context, async () => {
        refusePlace(await getInput());
        return { ...(await getInput()), ...place };
      }),
    );
    await replyWithLines(ctx, pages);
  };
}

type PathInput = Record<string, string>;

function frameworkOf({ framework }: PathInput): number | undefined {
  return framework !== undefined && DECIMAL.test(framework) ? numberOf(framework) : undefined;
}

function find(routes: readonly Route[], ctx: KoaContext): { route: Route; path: PathInput } {
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(ctx.path);
    if (match === null) continue;
    if (route.method === ctx.method || (route.method === 'GET' && ctx.method === 'HEAD')) {
      return { route, path: { ...match.groups } };
    }
    allowed.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []));
  }
  if (allowed.length === 0) throw new Refusal('not_found', 'No such path.');
  ctx.set('Allow', allowed.join(', '));
  throw new Refusal('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
}

/** Path, query and body in one object, as the procedure's strict schema takes them. */
async function inputOf(route: Route, path: PathInput, ctx: KoaContext): Promise<Record<string, unknown>> {
  const body = route.takesBody ? await readJsonBody(ctx) : {};
  const query = queryOf(ctx.querystring);
  const stray = route.takesBody ? Object.keys(query)[0] : undefined;
  if (stray !== undefined) throw new Refusal('invalid_request', `${stray.slice(0, 100)}: unknown query parameter`);
  for (const name of route.pathParameters) {
    if (Object.hasOwn(body, name) || Object.hasOwn(query, name)) {
      throw new Refusal('invalid_request', `${name}: unknown field`);
    }
  }
  const decoded = Object.entries(path).map(([name, text]): [string, string] => [name, decode(text)]);
  const texts = [...Object.entries(query), ...decoded].map(([name, text]): [string, unknown] => [
    name,
    route.numbers.has(name) && DECIMAL.test(text) ? numberOf(text) : text,
  ]);
  return Object.fromEntries([...Object.entries(body), ...texts]);
}

function queryOf(querystring: string): Record<string, string> {
  const pairs = [...new URLSearchParams(querystring)];
  const repeated = pairs.find(([name], index) => pairs.findIndex(([first]) => first === name) < index)?.[0];
  if (repeated !== undefined) throw new Refusal('invalid_request', `${repeated.slice(0, 100)}: given more than once`);
  return Object.fromEntries(pairs);
}

/** A malformed escape cannot be part of any id, and so stays as it is: what it names is not found. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function reply(ctx: KoaContext, route: Route, output: unknown): void {
  if (route.isSilent) {
    ctx.status = 204;
    return;
  }
  const fields =
    typeof output === 'object' && output !== null ? new Map(Object.entries(output)) : new Map<string, unknown>();
  ctx.status = route.location === undefined ? 200 : 201;
  if (route.location !== undefined) {
    ctx.set(
      'Location',
      route.location.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(fields.get(name))),
    );
  }
  if (route.totalCount !== undefined) ctx.set('X-Total-Count', String(fields.get(route.totalCount)));
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(output);
}
