import { ApiKey } from '../entities/api-key.ts';
import { notFound } from '../entities/refusal.ts';
import { KeyObject, toKey } from './api-key-shapes.ts';
import { nothing } from './shapes.ts';
import { companyProcedure, router } from './trpc.ts';

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
    .input(nothing)
    .output(KeyObject)
    .query(({ ctx: { session } }) =>
      session.inUnitOfWork(async (em) => {
        const key = await em.findOne(ApiKey, { uniqueId: session.principal.key ?? '' }, { populate: ['user'] });
        if (key === null) throw notFound('apiKey');
        return toKey(key);
      }),
    ),
});
