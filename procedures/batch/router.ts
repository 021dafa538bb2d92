import type { AnyTRPCRouter } from '@trpc/server';
import type { z } from 'zod';
import type { Meta } from '../core/declaration/meta.ts';
import { companyProcedure } from '../core/trpc.ts';
import { MAX_BATCH_BYTES, batchOutput } from '../schemas/batch.ts';
import { compileBatch } from './batch.ts';
import type { BatchRequest, BatchedResource } from './batch.ts';

/** Procedure for a batch of single requests to the procedures of a resource. Contract, section 11. */
export function batchProcedure<Item, Input>(
  router: AnyTRPCRouter,
  {
    input: schema,
    resultId,
    openapi,
    ...resource
  }: BatchedResource<Item> & {
    input: z.ZodType<BatchRequest, Input>;
    /** Prefix of the schema names of the results in the OpenAPI document. */
    resultId: string;
    openapi: Omit<NonNullable<Meta['openapi']>, 'method'>;
  },
) {
  const runBatch = compileBatch(router, resource);
  return companyProcedure('any scope')
    .meta({
      mcp: {
        description:
          'Each item is a single request with its own result; all run in one transaction. A batch counts as one request for every ' +
          '10 items. Each object may be the target of one item only.',
        listedScopes: [`${resource.type}:write`, `${resource.type}:delete`],
        mayCreate: true,
      },
      openapi: { method: 'POST', ...openapi, errorResponses: [403, 404, 409, 412, 422] },
      body: { kind: 'json', queryFields: ['dryRun'], maxJsonBytes: MAX_BATCH_BYTES },
    })
    .input(schema)
    .output(batchOutput(resource.itemOutput, resultId))
    .mutation(({ ctx, input }) => runBatch(ctx, input));
}
