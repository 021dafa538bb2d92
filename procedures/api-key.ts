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
        summary: 'Show the key that asks',
      },
    })
    .input(nothing)
    .output(KeyObject)
    .query(async ({ ctx }) => {
      const em = ctx.session.unitOfWork();
      const key = await em.findOne(ApiKey, { uniqueId: ctx.session.principal.key ?? '' }, { populate: ['user'] });
      if (key === null) throw notFound('apiKey');
      return toKey(key);
    }),
});
