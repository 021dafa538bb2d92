import { z } from 'zod';
import type { ListedEvent } from '../../entities/audit/event-statements.ts';
import { findResourceNames, namesInput } from '../../entities/audit/names.ts';
import type { Session } from '../../database/session.ts';
import { foldCase } from '../../entities/fold-case.ts';
import { integerOutput, noInput, searchText } from '../../entities/fields/schemas.ts';
import { requireSigning, servicesOf } from '../core/services.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import type { CsvFile, StreamedPages } from '../core/declaration/meta.ts';
import { CsvPage, csvInput } from '../import/export.ts';
import { LIST_PAGES, PAGE_SIZE, pageOutput } from '../schemas/pagination.ts';
import { CheckpointOutput, readCheckpoint } from './checkpoint.ts';
import { writeEvents } from './csv.ts';
import { EventPage, EventQuery, countEvents, listEvents, ListedEventOutput, MAX_EVENT_COUNT } from './events.ts';

const NamedResource = ListedEventOutput.shape.resource.extend({
  /** The current name, or the last one of a deleted resource; null if it is unknown. */
  name: z.string().nullable(),
  isDeleted: z.boolean(),
});

/** An event in a list, with the names of its resource and of what that belongs to. */
const NamedEventOutput = ListedEventOutput.extend({ resource: NamedResource, parent: NamedResource.nullable() });

const NamedEventPage = pageOutput(NamedEventOutput);

/** Maximum number of events that a search reads for a page. */
const MAX_SEARCHED_EVENTS = 2000;
const MAX_SEARCH_LENGTH = 255;

const UNKNOWN = { name: null, isDeleted: false };

const keyOf = (type: string, uniqueId: string) => `${type} ${uniqueId}`;

/** The log in the application, which also finds a text in the sentences and changes of events. */
const NamedEventQuery = EventQuery.extend({
  q: searchText(MAX_SEARCH_LENGTH)
    .meta({ description: 'Text in the names, people and changes of events, ignoring case', examples: ['cloud'] })
    .optional(),
});

/**
 * A page of the company's events with the names of their resources. The search has no index: it reads a bounded number of events for a
 * page, which may have few of them, or none.
 */
async function listNamedEvents(session: Session, { q, ...query }: z.infer<typeof NamedEventQuery>) {
  if (q === undefined) return readNamedEvents(session, query);
  const text = foldCase(q);
  const { limit = PAGE_SIZE.default } = query;
  const found: z.infer<typeof NamedEventOutput>[] = [];
  let { cursor } = query;
  for (let searched = 0; searched < MAX_SEARCHED_EVENTS; searched += limit) {
    // oxlint-disable-next-line no-await-in-loop -- a page begins where the previous one ends
    const { items, nextCursor } = await readNamedEvents(session, { ...query, cursor, limit });
    const matching = items.filter((event) => textsIn(event).some((one) => foldCase(one).includes(text)));
    if (found.length + matching.length > limit) break;
    found.push(...matching);
    if (nextCursor === null) return { items: found, nextCursor };
    cursor = nextCursor;
  }
  return { items: found, nextCursor: cursor ?? null };
}

/** Texts of an event that a search looks at. */
const textsIn = ({ resource, parent, actor, action, changes }: z.infer<typeof NamedEventOutput>): string[] => [
  ...[resource.name, parent?.name ?? null, actor.name, action].filter((text) => text !== null),
  ...leavesOf(changes),
];

/** The texts in a value. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

/** A page of the company's events with the names of their resources, which take one statement. */
async function readNamedEvents(session: Session, query: z.infer<typeof EventQuery>) {
  const { items, nextCursor } = await listEvents(session, 'audit.page', query);
  const names = await readNames(
    session,
    items.flatMap(({ resource, parent }) => (parent === null ? [resource] : [resource, parent])),
  );
  const named = ({ type, uniqueId }: ListedEvent['resource']) => ({
    type,
    uniqueId,
    ...(names.get(keyOf(type, uniqueId)) ?? UNKNOWN),
  });
  const withNames = (event: ListedEvent) => ({
    ...event,
    resource: named(event.resource),
    parent: event.parent === null ? null : named(event.parent),
  });
  return { items: items.map(withNames), nextCursor };
}

/** Names by type and id. A newer version of the service may have types that have no name here. */
async function readNames(session: Session, resources: readonly ListedEvent['resource'][]) {
  const input = namesInput(resources);
  const rows = input === undefined ? [] : await session.run(findResourceNames, input);
  return new Map(rows.map(({ type, id, name, isDeleted }) => [keyOf(type, id), { name, isDeleted }]));
}

/** The pages of the log. The last line is like that of the change feed, but without a cursor, because nothing is older. */
const LOG_PAGES: StreamedPages = {
  ...LIST_PAGES,
  parsePage: (page) => ({ ...LIST_PAGES.parsePage(page), trailer: { cursor: null } }),
};

const EventCsvQuery = NamedEventQuery.extend(csvInput);

/** A page of the log as a part of a CSV file. */
async function exportEvents(session: Session, { format, delimiter, ...query }: z.infer<typeof EventCsvQuery>) {
  const { items, nextCursor } = await listNamedEvents(session, query);
  const options = { format, delimiter, isFirst: query.cursor === undefined };
  const { content, rows } = await writeEvents(session, items, options);
  return { content, rows, total: rows, nextCursor };
}

const CSV_FILE: CsvFile = {
  procedure: 'audit.exportCsv',
  name: 'audit.csv',
  pageSize: PAGE_SIZE.max,
  example: () =>
    'time,person,action,resource,name,field,from,to\r\n2026-11-21T09:30:00.000Z,Ann,task.update,task,Review access rights,priority,3,1\r\n',
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
          'With `Accept: application/x-ndjson` the response has every matching event, one on each line, and `{"cursor": null}` on the last line; with `Accept: text/csv` one row for each field. `limit` and `cursor` are then not allowed.',
      },
      response: { kind: 'json', ndjson: LOG_PAGES, csv: CSV_FILE },
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

  count: companyProcedure('audit:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `audit_list` reads the same events.' } })
    .input(EventQuery.omit({ limit: true, cursor: true }).optional())
    .output(
      z.object({
        count: integerOutput(0, MAX_EVENT_COUNT, 'Events that match the filters'),
        more: z.boolean().meta({ description: 'True if there are more than `count`' }),
      }),
    )
    .query(async ({ ctx, input = {} }) => {
      const count = await countEvents(ctx.session, input);
      return { count: Math.min(count, MAX_EVENT_COUNT), more: count > MAX_EVENT_COUNT };
    }),

  exportCsv: companyProcedure('audit:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `audit_list` reads the same events.' } })
    .input(EventCsvQuery.optional())
    .output(CsvPage)
    .query(({ ctx, input = {} }) => exportEvents(ctx.session, input)),

  page: companyProcedure('audit:read')
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `audit_list` reads the same events.' } })
    .input(NamedEventQuery.optional())
    .output(NamedEventPage)
    .query(({ ctx, input = {} }) => listNamedEvents(ctx.session, input)),
});
