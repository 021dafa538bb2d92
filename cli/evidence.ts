import type { TRPCUntypedClient } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { AppRouter } from '../procedures/index.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { evidence } from '../procedures/management/evidence.ts';

/** Outputs of the procedures that the commands call. */
const Stores = evidence.stores._def.output;

/** Creates the commands for the files of evidence. Each calls the server step by step, so that no request takes long. */
export function evidenceCommands(client: () => Promise<TRPCUntypedClient<AppRouter>>) {
  return { client, Stores, initTRPC, z };
}
