import { apiKey } from './api-key/router.ts';
import { audit } from './audit/router.ts';
import { createCallerFactory, router } from './core/trpc.ts';
import { management } from './management/index.ts';
import { task } from './task/router.ts';
import { vendor } from './vendor/router.ts';

/** The router with all procedures. */
export const appRouter = router({ task, vendor, apiKey, audit, management });

/** Type parameter of a tRPC client. */
export type AppRouter = typeof appRouter;

/** Calls procedures without a server: `createCaller(context).vendor.list({})`. */
export const createCaller = createCallerFactory(appRouter);
