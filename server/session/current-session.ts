import { describeSession, endSession, switchSession, SwitchInput } from '../../procedures/sign-in/current-session.ts';
import { authenticateSession, readInput } from './route.ts';
import type { SessionRoute } from './route.ts';

/** Routes of a signed-in browser. Contract, section 16. */
export const currentSessionRoutes: readonly SessionRoute[] = [
  {
    method: 'GET',
    path: '/session',
    handle: async (ctx, dependencies) => {
      const current = await authenticateSession(ctx, dependencies);
      ctx.type = 'application/json';
      ctx.body = JSON.stringify(await describeSession(current));
    },
  },
  {
    method: 'PATCH',
    path: '/session',
    handle: async (ctx, dependencies) => {
      const current = await authenticateSession(ctx, dependencies);
      await switchSession(current, await readInput(ctx, SwitchInput));
      ctx.status = 204;
    },
  },
  {
    method: 'DELETE',
    path: '/session',
    handle: async (ctx, dependencies) => {
      const current = await authenticateSession(ctx, dependencies);
      await endSession(current);
      const { person, uniqueId } = current.webSession;
      dependencies.log.info({ requestId: ctx.state.requestId, person, session: uniqueId }, 'session: signed out');
      ctx.set('Set-Cookie', dependencies.cookie.header(undefined));
      ctx.status = 204;
    },
  },
];
