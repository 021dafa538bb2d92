import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { queryClient } from './api/client.ts';
import { errorDetails } from './api/errors.ts';
import { parseSearch, stringifySearch, textSearch } from './api/search.ts';
import { isConnected, sessionQuery } from './api/session.ts';
import { arriveAt } from './components/focus.ts';
import { rememberVisit } from './components/table/back-link.tsx';
import { VIEW_PATHS, searchOf, viewQuery } from './components/views/view.ts';
import { NotFound, RouteError } from './layout/fallbacks.tsx';
import { Shell } from './layout/shell.tsx';

/**
 * Loads the component `Page` of a module at the first visit. The router reloads the window if the module is missing, as after an
 * upgrade. Without a connection a reload would lose what is open, so the error is another one, which the frame of the application shows.
 */
const page = (load: () => Promise<{ Page: ComponentType }>) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (cause) {
      if (await isConnected()) throw cause;
      throw new TypeError('The page is not loaded', { cause });
    }
  }, 'Page');

const root = createRootRoute({ validateSearch: textSearch });

/** Parent of the pages of a person who is signed in. Others sign in first and then return to the page. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    // oxlint-disable-next-line typescript/only-throw-error -- the router takes redirects as thrown objects
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true });
  },
});

const signedInPage = <Path extends string>(path: Path, load: () => Promise<{ Page: ComponentType }>) =>
  createRoute({ getParentRoute: () => signedIn, path, component: page(load) });

/** Leads to the page of a view, with its filters. */
const savedView = createRoute({
  getParentRoute: () => signedIn,
  path: '/views/$uniqueId',
  beforeLoad: async ({ params: { uniqueId } }) => {
    const view = await queryClient.fetchQuery(viewQuery(uniqueId)).catch((error: unknown) => {
      // oxlint-disable-next-line typescript/only-throw-error -- the router takes this as a thrown object
      throw errorDetails(error).status === 404 ? notFound() : error;
    });
    // oxlint-disable-next-line typescript/only-throw-error -- the router takes redirects as thrown objects
    throw redirect({ to: VIEW_PATHS[view.page], search: searchOf(view), replace: true });
  },
});

const entryPage = <Path extends string>(path: Path, load: () => Promise<{ Page: ComponentType }>) =>
  createRoute({ getParentRoute: () => root, path, component: page(load) });

const routeTree = root.addChildren([
  signedIn.addChildren([
    signedInPage('/', () => import('./pages/overview/page.tsx')),
    signedInPage('/inbox', () => import('./pages/inbox/page.tsx')),
    signedInPage('/tasks', () => import('./pages/tasks/page.tsx')),
    signedInPage('/tasks/$taskUniqueId', () => import('./pages/task/page.tsx')),
    signedInPage('/vendors', () => import('./pages/vendors/page.tsx')),
    signedInPage('/vendors/$uniqueId', () => import('./pages/vendor/page.tsx')),
    signedInPage('/frameworks', () => import('./pages/frameworks/page.tsx')),
    signedInPage('/frameworks/$framework', () => import('./pages/framework/page.tsx')),
    signedInPage('/requirements/$uniqueId', () => import('./pages/requirement/page.tsx')),
    signedInPage('/questions', () => import('./pages/questions/page.tsx')),
    signedInPage('/api-keys', () => import('./pages/api-keys/page.tsx')),
    signedInPage('/audit-log', () => import('./pages/audit-log/page.tsx')),
    signedInPage('/audit-log/proofs', () => import('./pages/audit-log/proofs/page.tsx')),
    signedInPage('/members', () => import('./pages/members/page.tsx')),
    signedInPage('/members/$uniqueId', () => import('./pages/members/member/page.tsx')),
    signedInPage('/members/sign-ins', () => import('./pages/members/sign-ins/page.tsx')),
    signedInPage('/webhooks', () => import('./pages/webhooks/page.tsx')),
    signedInPage('/webhooks/$uniqueId', () => import('./pages/webhooks/endpoint/page.tsx')),
    signedInPage('/imports', () => import('./pages/imports/page.tsx')),
    signedInPage('/settings', () => import('./pages/settings/page.tsx')),
    signedInPage('/account', () => import('./pages/account/page.tsx')),
    savedView,
    createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound }),
  ]),
  entryPage('/sign-in', () => import('./pages/entry/sign-in.tsx')),
  entryPage('/sign-in/link', () => import('./pages/entry/link.tsx')),
  entryPage('/forgot', () => import('./pages/entry/forgot.tsx')),
  entryPage('/delete-account', () => import('./pages/entry/delete-account.tsx')),
  entryPage('/invitation/$token', () => import('./pages/entry/invitation.tsx')),
  entryPage('/reset/$token', () => import('./pages/entry/reset.tsx')),
  entryPage('/email/$token', () => import('./pages/entry/email.tsx')),
  entryPage('/proof/check', () => import('./pages/proof-check/page.tsx')),
  entryPage('/unsubscribe/$token', () => import('./pages/entry/unsubscribe.tsx')),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

// Who opens the application reads it from its top.
router.subscribe('onBeforeLoad', ({ fromLocation, pathChanged }) => {
  if (fromLocation !== undefined) arriveAt({ isPage: pathChanged });
});
router.subscribe('onResolved', ({ toLocation }) => rememberVisit(toLocation));

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
