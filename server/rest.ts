import type { AnyTRPCRouter } from '@trpc/server';
import type { Context as KoaContext, Middleware } from 'koa';
import { Refusal } from '../entities/refusal.ts';
import { appRouter } from '../procedures/index.ts';
import { PAGE, PART, pagesAfter, refusePlace } from '../procedures/page.ts';
import type { Place } from '../procedures/page.ts';
import { requireFramework, requireRight } from '../procedures/rights.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Authentication } from './context.ts';
import { Recorded, answerOnce, send } from './idempotency.ts';
import { frameworkOf, inputOf } from './input.ts';
import type { PathInput, RawInput } from './input.ts';
import type { Limits } from './limits.ts';
import { ARRAY, LINES, replyInParts, wantsLines } from './parts.ts';
import { isReading, noSuchPath } from './refuse.ts';
import type { State } from './refuse.ts';
import { fieldOf, reply, replyWritten } from './reply.ts';
import { routesOf } from './routes.ts';
import type { Route } from './routes.ts';
import { wishesOf } from './wishes.ts';
import type { Wishes } from './wishes.ts';

/**
 * The REST face: the procedures that carry `meta.openapi`, called as their path and verb say. It stands in for
 * trpc-to-openapi's own Koa adapter, whose coercions and error bodies the contract rules out
 * (docs/decisions/0002-own-rest-transport.md). Checks come in the order of the contract, section 2.
 */
export function rest(
  authenticate: Authentication['apiKey'],
  limits?: Limits,
  router: AnyTRPCRouter = appRouter,
): Middleware<State> {
  const routes = routesOf(router);
  return async (ctx) => {
    const { requestId } = ctx.state;
    const asked = { headers: ctx.req.headers, address: ctx.ip, requestId, reads: isReading(ctx.method) };
    const { context, headers: warnings } = await authenticate(asked);
    ctx.state.asks = context.session.principal;
    ctx.set(warnings);
    const excess = await limits?.count(ctx.res, context);
    const { route, path } = find(routes, ctx);
    ctx.state.route = route.template;
    if (route.notices !== undefined) ctx.set(route.notices);
    if (excess !== undefined) throw excess;
    const wishes = wishesOf(route, ctx.req, ctx.querystring);
    const { ifMatch } = wishes;
    const framework = frameworkOf(path);
    const call = (by: Context, getRawInput: () => Promise<RawInput>, part?: number) =>
      route.run({ ...by, framework, ifMatch, part }, getRawInput);
    let input: Promise<RawInput> | undefined;
    // Asked for once the key's rights are checked: until then no body is read.
    const getInput = () => (input ??= inputOf(route, path, ctx, wishes));
    // Each page is a request of its own to the key: when it is revoked, the answer ends.
    const ask =
      (part?: number) =>
      async (place: Place): Promise<unknown> =>
        call((await authenticate(asked)).context, async () => ({ ...(await getInput()), ...place }), part);

    if (route.everyPage && wantsLines(ctx)) {
      const first = await call(context, async () => {
        const given = await getInput();
        refusePlace(given);
        return { ...given, limit: PAGE.most };
      });
      await replyInParts(ctx, LINES, pagesAfter(first, PAGE.most, ask()));
    } else if (route.isBareList && !new URLSearchParams(ctx.querystring).has('limit')) {
      const written = ctx.querystring === '' ? await route.written?.(context, PART) : undefined;
      if (written !== undefined) {
        replyWritten(ctx, written);
        return;
      }
      // Put together from parts, and given on as they come.
      const first = await call(context, getInput, PART);
      ctx.set('X-Total-Count', String(fieldOf(first, 'total')));
      await replyInParts(ctx, ARRAY, pagesAfter(first, PART, ask(PART)));
    } else if (wishes.once === undefined) reply(ctx, ctx, route, await call(context, getInput), wishes);
    else await replyOnce(ctx, route, framework, wishes, { context, getInput, call });
  };
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
  if (allowed.length === 0) throw noSuchPath();
  ctx.set('Allow', allowed.join(', '));
  throw new Refusal('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
}

type Call = (by: Context, getRawInput: () => Promise<RawInput>) => Promise<unknown>;

interface Asking {
  context: Context;
  getInput: () => Promise<RawInput>;
  call: Call;
}

const REACHED = new Refusal('internal', 'The resolver was reached.');

/**
 * Runs the authorization, the input and the middlewares of a procedure, and not its resolver.
 * @throws what they throw, and Error if the procedure returns a result without reaching its resolver
 */
async function runMiddlewares(call: Call, by: Context, getInput: () => Promise<RawInput>): Promise<void> {
  try {
    await call({ ...by, insteadOfResolver: REACHED }, getInput);
  } catch (error) {
    if (error === REACHED) return;
    throw error;
  }
  throw new Error('A procedure returned a result without reaching its resolver');
}

/** The reply to a request with an `Idempotency-Key`: the key's rights are checked before anything is given again. */
async function replyOnce(
  ctx: KoaContext,
  route: Route,
  framework: number | undefined,
  wishes: Wishes,
  { context, getInput, call }: Asking,
): Promise<void> {
  const { session, address } = context;
  if (!session.hasPrincipal() || route.right === undefined) throw new Error(`${route.procedure} is nobody’s to repeat`);
  requireRight(session.principal, route.right, address);
  if (framework !== undefined) requireFramework(session.principal, framework);
  const input = await getInput();
  if (!(await route.accepts(input))) await runMiddlewares(call, context, getInput); // throws the validation error
  const { once: name = '', ifMatch, prefers } = wishes;
  const [id = ''] = route.pathParameters;
  const request = { operation: `${route.method} ${route.template}`, input, ifMatch, prefers };
  const answer = await answerOnce(
    session,
    { name, request, resource: String(input[id]) },
    {
      carryOut: async (inside) => {
        const recorded = new Recorded();
        reply(recorded, ctx, route, await call({ ...context, session: inside }, getInput), wishes);
        return recorded.answer();
      },
      beforeReplay: (inside) => runMiddlewares(call, { ...context, session: inside }, getInput),
    },
  );
  send(ctx, answer);
}
