import { EventPage, EventQuery, listEvents } from './events.ts';
import { companyProcedure, router } from '../core/trpc.ts';

/** The trail of the caller's company. Contract, section 6. */
export const audit = router({
  list: companyProcedure('audit:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/external/audit/list',
        tags: ['Audit'],
        operationId: 'listAuditEvents',
        summary: 'Read the audit trail, newest first',
        description:
          'With `Accept: application/x-ndjson` the answer is every event that matches, one on each line; it then takes no `limit` and no `cursor`.',
      },
      ndjson: true,
    })
    .input(EventQuery.optional())
    .output(EventPage)
    .query(({ ctx, input = {} }) => listEvents(ctx.session, 'audit.list', input)),
});
