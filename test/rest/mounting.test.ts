import Koa from 'koa';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { PageOrigins } from '../../server/auth/same-origin.ts';
import { sessionCookie } from '../../server/auth/cookies.ts';
import { createSessionAuthentication } from '../../server/auth/web-session.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import type { RequestState } from '../../server/http/request-state.ts';
import { HttpServer } from '../../server/http/server.ts';
import { restHandler } from '../../server/rest/handler.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database } from '../support/database/database.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

const Note = z.object({ id: z.string(), caller: z.string() });
const procedures = router({
  create: companyProcedure('vendor:write')
    .meta({
      openapi: { method: 'POST', path: '/external/note/new' },
      response: { kind: 'json', location: '/external/note/{id}/item' },
    })
    .input(z.strictObject({ id: z.string() }))
    .output(Note)
    .mutation(({ ctx: { caller }, input: { id } }) => ({ id, caller })),
  get: companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path: '/external/note/{id}/item' } })
    .input(z.strictObject({ id: z.string() }))
    .output(Note)
    .query(({ ctx: { caller }, input: { id } }) => ({ id, caller })),
});

const { appUrl } = services;
const cookie = sessionCookie(appUrl);
const origins = new PageOrigins({ appUrl, corsOrigins: [], host: '127.0.0.1' });
const forMembers = restHandler(createSessionAuthentication(database, cookie, origins).authenticate, {
  router: procedures,
  prefix: '/session',
});
const forKeys = restHandler(createAuthentication(database, OPERATOR_TOKEN).apiKey, { router: procedures });
const app = new Koa<RequestState>();
app.use(async (ctx, next) => {
  ctx.state.requestId = 'a-request';
  await next();
  ctx.set('Route', ctx.state.route ?? '');
});
app.use(errorHandler(createLog('silent')));
app.use((ctx, next) => (ctx.path.startsWith('/session/') ? forMembers : forKeys)(ctx, next));
const server = new HttpServer(app.callback());

const url = await server.listen({ host: '127.0.0.1', port: 0 });
const acme = await createCompany();
const key = { 'X-API-Key': acme.key };
const [pair = ''] = cookie.header((await createMember(acme)).token).split(';');
const member = { Cookie: pair, Origin: url };
afterAll(() => server.stop(0));

async function send(path: string, headers: Record<string, string>, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const [location, route] = ['Location', 'Route'].map((name) => response.headers.get(name));
  return { status: response.status, location, route, body: await response.json() };
}

test.for(['apiKey', 'member'])('the same operations are served for %s, below one prefix each', async (caller) => {
  const [prefix, credentials] = caller === 'member' ? ['/session', member] : ['/external', key];
  const created = await send(`${prefix}/note/new`, credentials, { id: 'a' });
  const location = `${prefix}/note/a/item`;
  const body = { id: 'a', caller };
  expect(created).toEqual({ status: 201, location, route: `${prefix}/note/new`, body });
  const read = { status: 200, location: null, route: `${prefix}/note/{id}/item`, body };
  expect(await send(location, credentials)).toEqual(read);
});

test('each prefix has its own authentication', async () => {
  const statusOf = async (prefix: string, headers: Record<string, string>) =>
    (await send(`${prefix}/note/a/item`, headers)).status;
  expect([await statusOf('/session', key), await statusOf('/external', member)]).toEqual([401, 401]);
  expect(await statusOf('/session', { ...member, Origin: 'https://other.example' })).toBe(403);
});
