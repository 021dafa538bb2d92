import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { expected, textInput } from './fields.ts';

/** How many items a page holds. */
export const PAGE_SIZE = { max: 100, default: 50 } as const;

/** How many items of a list that is not paged REST takes at once: it gives them on as they come. */
export const LIST_BATCH_SIZE = 500;

/** A cursor may hold a whole name: its longest is sealed in fewer characters than these. */
const MAX_CURSOR_LENGTH = 3000;

/** What a list takes that holds pages of at most `most` items. */
export function paginationInput(maxPageSize: number, limitOmitted: string) {
  const expectation = `an integer from 1 to ${maxPageSize}`;
  return {
    limit: z
      .int(expected(expectation))
      .min(1, expected(expectation))
      .max(maxPageSize, expected(expectation))
      .meta({ description: `Items of a page; ${limitOmitted}`, format: 'int32', examples: [50] })
      .optional(),
    cursor: textInput('a cursor', MAX_CURSOR_LENGTH)
      .meta({
        description: 'Where the page before ended, as its answer says; with the same filters',
        examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
      })
      .optional(),
  };
}

/** What every list takes that is always paged. */
export const pagination = paginationInput(PAGE_SIZE.max, `${PAGE_SIZE.default} unless told otherwise`);

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What every paged list answers. */
export const pageOutput = <Item extends z.ZodType>(item: Item, maxItems: number = PAGE_SIZE.max) =>
  z.object({
    items: z.array(item).meta({ maxItems }),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description: 'Hand it back as `cursor`; null on the last page',
        maxLength: MAX_CURSOR_LENGTH,
        examples: [null],
      }),
  });

const AnyPage = pageOutput(z.unknown());

/**
 * All items of a paged list, page by page, each asked for when the one before is taken.
 * @param firstPage the first page
 * @param fetchPage calls the list for another
 */
export async function* iteratePages(
  firstPage: unknown,
  limit: number,
  fetchPage: (request: PageRequest) => Promise<unknown>,
): AsyncGenerator<unknown[]> {
  let page = AnyPage.parse(firstPage);
  yield page.items;
  while (page.nextCursor !== null) {
    page = AnyPage.parse(await fetchPage({ limit, cursor: page.nextCursor }));
    yield page.items;
  }
}

/**
 * A page of rows, of which one more was read than it holds.
 * @returns `last` is the row after which the next page begins; undefined on the last page
 */
export function splitPage<Row>(fetched: readonly Row[], limit: number): { rows: Row[]; last: Row | undefined } {
  const rows = fetched.slice(0, limit);
  return { rows, last: fetched.length > limit ? rows.at(-1) : undefined };
}

/** @throws Refusal 400 for a cursor without a limit, where a list is not paged unless it is told how */
export function requireLimitWithCursor({ limit, cursor }: PageRequest): void {
  if (cursor !== undefined && limit === undefined) throw new ApiError('invalid_request', 'limit: required with cursor');
}

/** @throws Refusal 400 where a place is named by who asks for everything */
export function forbidPagination(input: object): void {
  const presentField = Object.keys(pagination).find((field) => Object.hasOwn(input, field));
  if (presentField !== undefined)
    throw new ApiError('invalid_request', `${presentField}: not taken where everything is asked for`);
}
