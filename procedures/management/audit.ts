import { EventPage, EventQuery, listEvents } from '../trail.ts';
import { adminProcedure, router } from '../trpc.ts';

/** The trail of a company, for its admin. Contract, section 7. */
export const audit = router({
  list: adminProcedure
    .meta({ description: 'Read the audit trail, newest first' })
    .input(EventQuery)
    .output(EventPage)
    .query(({ ctx, input }) => listEvents(ctx.session, 'management.audit.list', input)),
});
