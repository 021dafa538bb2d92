import { noInput } from '../../entities/fields/schemas.ts';
import { CheckpointOutput, readCheckpoint } from './checkpoint.ts';
import { EventPage, EventQuery, listEvents } from './events.ts';
import { NamedEventPage, listNamedEvents } from './named-events.ts';
import { requireSigning, servicesOf } from '../core/services.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import type { StreamedPages } from '../core/declaration/meta.ts';
import { LIST_PAGES } from '../schemas/pagination.ts';

/** The pages of the log. The last line is that of the change feed, without a place to go on from, because nothing is older. */
const LOG_PAGES: StreamedPages = {
  ...LIST_PAGES,
  parsePage: (page) => ({ ...LIST_PAGES.parsePage(page), trailer: { cursor: null } }),
};

/** The audit log of the caller's company. Contract, section 6. */
export const audit = router({
  list: companyProcedure('audit:read')
    .meta({
      mcp: { description: 'Lists events that match all filters.' },
      openapi: {
        method: 'GET',
        path: '/external/audit/list',
        tags: ['Audit'],
        operationId: 'listAuditEvents',
        summary: 'Read the audit log, newest first',
        description:
          'With `Accept: application/x-ndjson` the response has every matching event, one on each line, and `{"cursor": null}` on the last line. `limit` and `cursor` are then not allowed.',
      },
      response: { kind: 'json', ndjson: LOG_PAGES },
    })
    .input(EventQuery.optional())
    .output(EventPage)
    .query(({ ctx, input = {} }) => listEvents(ctx.session, 'audit.list', input)),

  checkpoint: companyProcedure('audit:read')
    .meta({
      mcp: {
        description:
          'Returns the signed head of the audit log. Kept elsewhere, it shows later whether the log lost or changed anything up to it.',
      },
      openapi: {
        method: 'GET',
        path: '/external/audit/checkpoint',
        tags: ['Audit'],
        operationId: 'getAuditCheckpoint',
        summary: 'Sign the head of the audit log',
        description:
          'Seals the events that wait and returns the last seal with a signature. Store it outside this server: with it, ' +
          'a proof and the operator can show that the log still has everything up to it. 422 if the server has no signing key.',
        errorResponses: [422],
      },
    })
    .input(noInput)
    .output(CheckpointOutput)
    .query(({ ctx: { session, services } }) => readCheckpoint(session, requireSigning(servicesOf({ services })))),

  page: companyProcedure('audit:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `audit_list` reads the same events.' } })
    .input(EventQuery.optional())
    .output(NamedEventPage)
    .query(({ ctx, input = {} }) => listNamedEvents(ctx.session, input)),
});
