import { z } from 'zod';
import { found } from '../../entities/api-error.ts';
import { LISTED_REQUESTS, MAX_LENGTHS, NEWEST_REQUEST, pageRequests } from '../../entities/api-key/request.ts';
import type { RequestRow } from '../../entities/api-key/request.ts';
import { ownKey, toKeyRecord } from '../../entities/api-key/statements.ts';
import type { Session } from '../../database/session.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { noInput, timestampOutput, integerOutput, textOutput } from '../../entities/fields/schemas.ts';
import { apiKeyProcedure, router } from '../core/trpc.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { OwnApiKeyOutput } from './schemas.ts';

const RequestQuery = z.strictObject(pagination);

const RequestOutput = z
  .object({
    at: timestampOutput.meta({ description: 'Arrival of the request' }),
    method: textOutput(MAX_LENGTHS.method, 'PATCH', 'Method of HTTP'),
    path: textOutput(
      MAX_LENGTHS.path,
      '/external/task/0199b2f0-7c1e-7d3a-9b55-1f0e5c6a7b8d/edit',
      'Path without the query',
    ),
    status: integerOutput(100, 599, 'Status of the response; null if the connection closed before it')
      .nullable()
      .meta({ examples: [412] }),
    code: textOutput(MAX_LENGTHS.code, 'precondition_failed').nullable().meta({
      description:
        '`X-Error-Code` of the response, over tRPC and MCP the code of the first call that failed; null on success',
    }),
    requestId: textOutput(
      MAX_LENGTHS.requestId,
      'b1946ac9-2f4e-4a7b-9a51-0f6c8e3d2a17',
      '`X-Request-Id` of the response',
    ),
    durationMs: integerOutput(0, MAX_ID, 'Milliseconds from the request headers to the end of the response').meta({
      examples: [12],
    }),
  })
  .meta({ id: 'ApiKeyRequest', description: 'A request with an API key' });

export const RequestPage = pageOutput(RequestOutput).meta({
  id: 'ApiKeyRequests',
  description: 'A page of requests, newest first',
});

const toRequestRecord = ({ uniqueId: _uniqueId, at, ...row }: RequestRow) => ({ ...row, at: toIso(at) });

/** A page of the last requests of a key, newest first. Contract, section 35. */
export async function listRequests(session: Session, apiKey: string, request: PageRequest) {
  const { rows, nextCursor } = await readPage(session, {
    list: ['apiKey.requests', { apiKey }],
    request,
    fetch: ([at = NEWEST_REQUEST.at, uniqueId = NEWEST_REQUEST.uniqueId], limit) =>
      session.run(pageRequests, { apiKey, at, uniqueId, limit }),
    positionOf: ({ at, uniqueId }) => [at, uniqueId],
  });
  return { items: rows.map(toRequestRecord), nextCursor };
}

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
