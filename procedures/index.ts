import { apiKey } from './api-key.ts';
import { audit } from './audit.ts';
import { management } from './management/index.ts';
import { task } from './task.ts';
import { createCallerFactory, router } from './trpc.ts';
import { vendor } from './vendor.ts';

/** Everything that may be asked. */
export const appRouter = router({ task, vendor, apiKey, audit, management });

/** The type a tRPC client is made from. */
export type AppRouter = typeof appRouter;

/** Calls procedures with no server: `createCaller(context).vendor.list({})`. */
export const createCaller = createCallerFactory(appRouter);
