import { companyProcedure, router } from '../core/trpc.ts';
import { FEED_SCOPE, readFeed } from './feed.ts';
import { ChangeFeed, FEED_PAGES, FeedQuery } from './schemas.ts';

/** The change feed: the audit events of the company, oldest first. Contract, section 12. */
export const changes = router({
  list: companyProcedure(FEED_SCOPE)
    .meta({
      mcp: { description: 'Returns the events after a cursor, each exactly once and in order.' },
      openapi: {
        method: 'GET',
        path: '/external/changes',
        tags: ['Audit'],
        operationId: 'listChanges',
        summary: 'Follow the changes of the company, oldest first',
        description:
          'Returns the events after a cursor, each exactly once and in order. `wait` holds the response until there is one. With `Accept: application/x-ndjson` the response has every event that is there, one on each line, and `{"cursor": "…"}` on the last line. `limit` and `wait` are then not allowed.',
        errorResponses: [410], // a restored database may have lost the cursor
      },
      response: { kind: 'json', ndjson: FEED_PAGES },
    })
    .input(FeedQuery.optional())
    .output(ChangeFeed)
    .query(({ ctx, input = {} }) => readFeed(ctx, input)),
});
