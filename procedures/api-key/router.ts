import { notFound } from '../../entities/api-error.ts';
import { ownKey, toKeyRecord } from '../../entities/statements/api-key.ts';
import { ApiKeyOutput } from './schemas.ts';
import { noInput } from '../schemas/fields.ts';
import { companyProcedure, router } from '../core/trpc.ts';

/** What a key can ask about itself. Contract, section 5. */
export const apiKey = router({
  whoami: companyProcedure('any key')
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/api-key/whoami',
        tags: ['API keys'],
        operationId: 'getOwnApiKey',
        summary: 'Show the key that asks',
        description: 'Whose it is, what it may do, and when it ends. Any valid key may ask.',
      },
    })
    .input(noInput)
    .output(ApiKeyOutput)
    .query(async ({ ctx: { session } }) => {
      const row = await session.first(ownKey, {});
      if (row === undefined) throw notFound('apiKey');
      return toKeyRecord(row);
    }),
});
