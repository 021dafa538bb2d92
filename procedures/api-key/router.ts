import { found } from '../../entities/api-error.ts';
import { ownKey, toKeyRecord } from '../../entities/api-key/statements.ts';
import { apiKeyProcedure, router } from '../core/trpc.ts';
import { noInput } from '../schemas/fields.ts';
import { OwnApiKeyOutput } from './schemas.ts';

/** Procedures for the API key of the request. See docs/contract.md, section 5. */
export const apiKey = router({
  whoami: apiKeyProcedure
    .meta({
      mcp: {
        description:
          'Returns the integration user, permissions and expiry of the key, and the time zone of its company.',
      },
      openapi: {
        method: 'GET',
        path: '/external/api-key/whoami',
        tags: ['API keys'],
        operationId: 'getOwnApiKey',
        summary: 'Show the API key of the request',
        description:
          'Returns the integration user, permissions and expiry of the key, and the time zone of its company. Any valid key may call it.',
      },
    })
    .input(noInput)
    .output(OwnApiKeyOutput)
    .query(async ({ ctx }) => toKeyRecord(found(await ctx.session.first(ownKey, {}), 'apiKey'))),
});
