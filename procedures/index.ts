import { apiKey } from './api-key/router.ts';
import { audit } from './audit/router.ts';
import { management } from './management/index.ts';
import { task } from './task/router.ts';
import { createCallerFactory, router } from './core/trpc.ts';
import { vendor } from './vendor/router.ts';

/** Everything that may be asked. */
export const appRouter = router({ task, vendor, apiKey, audit, management });

/** The type a tRPC client is made from. */
export type AppRouter = typeof appRouter;

/** Calls procedures with no server: `createCaller(context).vendor.list({})`. */
export const createCaller = createCallerFactory(appRouter);
