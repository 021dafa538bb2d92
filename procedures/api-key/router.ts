import { found } from '../../entities/api-error.ts';
import { LISTED_REQUESTS } from '../../entities/api-key/request.ts';
import { ownKey, toKeyRecord } from '../../entities/api-key/statements.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { apiKeyProcedure, router } from '../core/trpc.ts';
import { RequestPage, RequestQuery, listRequests } from './requests.ts';
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

  requests: apiKeyProcedure
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/api-key/requests',
        tags: ['API keys'],
        operationId: 'listOwnRequests',
        summary: 'List the last requests with the key',
        description: `Returns the last ${LISTED_REQUESTS.perKey.toLocaleString('en')} requests with the key of the last ${LISTED_REQUESTS.maxAgeHours} hours, newest first, also over \`/trpc\` and \`/mcp\`, and refused ones. A request is listed within ten seconds. Any valid key may call it.`,
      },
    })
    .input(RequestQuery)
    .output(RequestPage)
    .query(({ ctx: { session }, input }) => {
      const { key } = session.principal;
      if (key === null) throw new Error('apiKey.requests: expected the principal of a key');
      return listRequests(session, key, input);
    }),
});
