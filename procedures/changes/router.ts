import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { NO_FRAMEWORK } from '../../entities/ids.ts';
import { isKnownEvent, RESOURCE_TYPES } from '../../entities/audit/fields.ts';
import { FEED_START, findFeedHead, readChanges } from '../../entities/audit/change-feed.ts';
import type { FeedPosition, FeedRow } from '../../entities/audit/change-feed.ts';
import { expected, integerInput, textInput, valueList, forModels } from '../../entities/fields/schemas.ts';
import { companyProcedure, router } from '../core/trpc.ts';
import { toEvents, EventOutput } from '../audit/events.ts';
import type { KnownEventRow } from '../audit/events.ts';
import type { Context } from '../core/context.ts';
import { requireScopes } from '../core/permissions.ts';
import { cursorCodec } from '../schemas/cursor.ts';
import { externalIdsOutput } from '../schemas/external-id.ts';
import { MAX_CURSOR_LENGTH, cursorBounds } from '../schemas/pagination.ts';
import type { StreamedPages } from '../core/declaration/meta.ts';

/** Number of events in a response. */
const FEED_SIZE = { max: 500, default: 100 } as const;

/** Number of events that REST fetches at a time for a stream. Events may have 40 KB, so this bounds the memory of a stream. */
const STREAM_BATCH_SIZE = 200;

/** Maximum number of seconds that a response waits for an event. */
const MAX_WAIT_SECONDS = 30;

const FeedQuery = z.strictObject({
  cursor: textInput('a cursor', MAX_CURSOR_LENGTH)
    .meta({
      ...cursorBounds,
      description: '`cursor` of the previous response; without it the feed starts at the first event',
      examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
    })
    .optional(),
  limit: integerInput(1, FEED_SIZE.max)
    .meta({
      description: `Maximum number of events; ${FEED_SIZE.default} by default`,
      format: 'int32',
      examples: [100],
    })
    .optional(),
  wait: integerInput(0, MAX_WAIT_SECONDS)
    .meta({
      description: 'Seconds to wait for an event if there is none; 0 by default',
      format: 'int32',
      examples: [20],
    })
    .optional(),
  from: z
    .enum(['now'], expected('now'))
    .meta({ description: '`now` returns only a cursor, after which the events from now on follow' })
    .optional(),
  type: valueList(RESOURCE_TYPES)
    .meta({
      description: `Types of the resources, separated by commas: ${RESOURCE_TYPES.join(', ')}; by default all`,
      examples: [['task', 'vendor']],
    })
    .register(forModels, { description: 'Comma-separated', pattern: undefined })
    .optional(),
  actor: z
    .enum(['others'], expected('others'))
    .meta({ description: '`others` leaves out what the key of the request, or the member, did', examples: ['others'] })
    .optional(),
});
type FeedQuery = z.infer<typeof FeedQuery>;

const ChangeOutput = EventOutput.extend({
  sequence: z.int().meta({
    description: 'Number of the event in the company, from 1 without holes',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    examples: [4711],
  }),
  deleted: z.boolean().meta({
    description: 'True for a deletion; `changes` is then the last state of the resource',
    examples: [false],
  }),
  externalIds: externalIdsOutput.optional().meta({
    description:
      'External ids of a task or a vendor now, or those that are still reserved for a deleted one. Absent for other types',
  }),
}).meta({ id: 'Change', description: 'An audit event in the change feed' });

const feedOutput = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).meta({ maxItems: FEED_SIZE.max, description: 'Events, in the order of `sequence`' }),
    cursor: z.string().meta({
      ...cursorBounds,
      description: 'Send it as `cursor` to get the next events. It never expires.',
      examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
    }),
    more: z.boolean().meta({ description: 'True if there are more events already', examples: [false] }),
  });

/** Response of the change feed. */
const ChangeFeed = feedOutput(ChangeOutput).meta({ id: 'Changes', description: 'A page of the change feed' });

const AnyFeed = feedOutput(z.unknown());

/** The feed as a stream of everything that is there. It ends with the cursor. */
const FEED_PAGES: StreamedPages = {
  pageSize: STREAM_BATCH_SIZE,
  forbiddenFields: ['limit', 'wait'],
  parsePage(page) {
    const { items, cursor, more } = AnyFeed.parse(page);
    return { items, nextCursor: more ? cursor : null, trailer: { cursor } };
  },
};

/** Number of seals that a page scans if it may leave out events: hidden or filtered ones. It bounds the cost of a page. */
export const MAX_SCANNED_SEALS = 2000;

/** Size and filters of a page. */
type PageQuery = Pick<FeedQuery, 'type' | 'actor'> & { limit: number };

/** A context whose authorization found a company. */
type FeedContext = Pick<Context, 'suspend' | 'address'> & { session: Session };

/** Scope to read the feed. */
const FEED_SCOPE = 'audit:read';

/** Events after a position, and the position after them. */
interface FeedPage {
  rows: KnownEventRow<VisibleRow>[];
  position: FeedPosition;
  more: boolean;
  /** Number of the last seal that the page considers: no later page differs before there is a newer one. */
  head: string;
}

type VisibleRow = Extract<FeedRow, { action: string }>;
const isVisible = (row: FeedRow): row is VisibleRow => row.id !== null;

/** The company's events after the cursor, in the order of their seals. Contract, section 12. */
async function readFeed(
  ctx: FeedContext,
  { cursor, limit = FEED_SIZE.default, wait = 0, from, type, actor }: FeedQuery,
) {
  if (cursor !== undefined && from !== undefined)
    throw new ApiError('invalid_request', 'from: not allowed with cursor');
  // Without the filters: a cursor holds with any of them.
  const codec = await cursorCodec(ctx.session, 'changes.list', {});
  if (from === 'now') {
    const head = (await ctx.session.first(findFeedHead, {})) ?? FEED_START;
    return { items: [], cursor: codec.encode([head.sequence, head.mark]), more: false };
  }
  const [sequence = FEED_START.sequence, mark = FEED_START.mark] = codec.decode(cursor);
  const { session, page } = await followFeed(ctx, { sequence, mark }, { limit, type, actor }, wait * 1000);
  const { sequence: lastSequence, mark: lastMark } = page.position;
  const events = await toEvents(session, page.rows);
  const items = events.map((event, index) => {
    const { sequence: number, external_ids: externalIds = null } = page.rows[index] ?? {};
    const deleted = event.action.endsWith('.delete');
    return Object.assign(event, { sequence: Number(number), deleted }, externalIds === null ? {} : { externalIds });
  });
  return { items, cursor: codec.encode([lastSequence, lastMark]), more: page.more };
}

/**
 * Reads a page, and waits up to a time for its first event.
 * @returns the page and the session that read it, which is newer than the one of the context after a wait
 */
async function followFeed(
  ctx: FeedContext,
  start: FeedPosition,
  query: PageQuery,
  waitMs: number,
): Promise<{ session: Session; page: FeedPage }> {
  const deadline = performance.now() + waitMs;
  let { session } = ctx;
  let page = await readPage(session, start, query);
  let hasNews = true;
  while (hasNews && page.rows.length === 0 && !page.more && performance.now() < deadline) {
    ({ session, hasNews } = await waitForSeals(ctx, page.head, deadline - performance.now()));
    // Also without news: the restore of a backup may have moved the head back meanwhile.
    page = await readPage(session, page.position, query);
  }
  return { session, page };
}

/** Waits for seals after a number, then checks the key again. A direct caller has no slot to give back, and no credentials. */
async function waitForSeals(
  { suspend, session, address }: FeedContext,
  sequence: string,
  timeoutMs: number,
): Promise<{ session: Session; hasNews: boolean }> {
  if (suspend === undefined) return { session, hasNews: await session.waitForSeals(sequence, { timeoutMs }) };
  let hasNews = false;
  const nextSession = await suspend(async (signal) => {
    hasNews = await session.waitForSeals(sequence, { timeoutMs, signal });
  });
  requireScopes(nextSession.principal, [FEED_SCOPE], address);
  return { session: nextSession, hasNews };
}

async function readPage(session: Session, after: FeedPosition, { limit, type, actor }: PageQuery): Promise<FeedPage> {
  const { frameworks, user } = session.principal;
  const hidesNone = frameworks === null && type === undefined && actor === undefined;
  // Beside the page, a row for its start and a row that shows if another event follows.
  const rowLimit = limit + 2;
  const rows = await session.run(readChanges, {
    after: after.sequence,
    scan: hidesNone ? rowLimit : MAX_SCANNED_SEALS + 1,
    limit: rowLimit,
    frameworks: frameworks && [NO_FRAMEWORK, ...frameworks],
    types: type?.split(',') ?? null,
    exceptUser: actor === 'others' ? user.uniqueId : null,
  });
  requireSameSeal(after, rows[0]);
  const last = rows.at(-1) ?? { ...after, head: after.sequence };
  const visible = rows.filter(isVisible);
  const page: KnownEventRow<VisibleRow>[] = [];
  for (const row of visible.slice(0, limit)) {
    // A newer version wrote the event. A process of that version continues the feed with it.
    if (!isKnownEvent(row)) return { rows: page, position: page.at(-1) ?? after, more: false, head: last.head };
    page.push(row);
  }
  if (visible.length > limit) return { rows: page, position: page.at(-1) ?? after, more: true, head: last.head };
  return { rows: page, position: last, more: last.sequence !== last.head, head: last.sequence };
}

/**
 * Requires that the position of a cursor is still in the log.
 * @throws ApiError `cursor_lost` if the seal does not exist, or belongs to another history
 */
function requireSameSeal({ sequence, mark }: FeedPosition, found: FeedPosition | undefined): void {
  if (sequence === FEED_START.sequence || (found?.sequence === sequence && found.mark === mark)) return;
  throw new ApiError(
    'cursor_lost',
    'cursor: the database was restored to a time before it; start again without a cursor',
  );
}

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
          'Returns the events after a cursor, each exactly once and in order. `wait` holds the response until there is one. With `Accept: application/x-ndjson` the response has all events so far, one on each line, and `{"cursor": "…"}` on the last line. `limit` and `wait` are then not allowed.',
        errorResponses: [410], // a restored database may have lost the cursor
      },
      response: { kind: 'json', ndjson: FEED_PAGES },
    })
    .input(FeedQuery.optional())
    .output(ChangeFeed)
    .query(({ ctx, input = {} }) => readFeed(ctx, input)),
});
