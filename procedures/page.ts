import { z } from 'zod';
import { Refusal } from '../entities/refusal.ts';
import { expects, text } from './shapes.ts';

/** How many items a page holds. */
export const PAGE = { most: 100, unlessTold: 50 } as const;

/** How many items of a list that is not paged REST takes at once: it gives them on as they come. */
export const PART = 500;

/** A cursor may hold a whole name: its longest is sealed in fewer characters than these. */
const CURSOR_LENGTH = 3000;

/** What a list takes that holds pages of at most `most` items. */
export function placeOf(most: number, withoutLimit: string) {
  const expected = `an integer from 1 to ${most}`;
  return {
    limit: z
      .int(expects(expected))
      .min(1, expects(expected))
      .max(most, expects(expected))
      .meta({ description: `Items of a page; ${withoutLimit}`, format: 'int32', examples: [50] })
      .optional(),
    cursor: text('a cursor', CURSOR_LENGTH)
      .meta({
        description: 'Where the page before ended, as its answer says; with the same filters',
        examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
      })
      .optional(),
  };
}

/** What every list takes that is always paged. */
export const place = placeOf(PAGE.most, `${PAGE.unlessTold} unless told otherwise`);

export interface Place {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What every paged list answers. */
export const pageOf = <Item extends z.ZodType>(item: Item, most: number = PAGE.most) =>
  z.object({
    items: z.array(item).meta({ maxItems: most }),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description: 'Hand it back as `cursor`; null on the last page',
        maxLength: CURSOR_LENGTH,
        examples: [null],
      }),
  });

const AnyPage = pageOf(z.unknown());

/**
 * All items of a paged list, page by page, each asked for when the one before is taken.
 * @param first the first page
 * @param ask calls the list for another
 */
export async function* pagesAfter(
  first: unknown,
  limit: number,
  ask: (at: Place) => Promise<unknown>,
): AsyncGenerator<unknown[]> {
  let page = AnyPage.parse(first);
  yield page.items;
  while (page.nextCursor !== null) {
    page = AnyPage.parse(await ask({ limit, cursor: page.nextCursor }));
    yield page.items;
  }
}

/**
 * A page of rows, of which one more was read than it holds.
 * @returns `last` is the row after which the next page begins; undefined on the last page
 */
export function cut<Row>(found: readonly Row[], limit: number): { rows: Row[]; last: Row | undefined } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1) : undefined };
}

/** @throws Refusal 400 for a cursor without a limit, where a list is not paged unless it is told how */
export function refuseCursorAlone({ limit, cursor }: Place): void {
  if (cursor !== undefined && limit === undefined) throw new Refusal('invalid_request', 'limit: required with cursor');
}

/** @throws Refusal 400 where a place is named by who asks for everything */
export function refusePlace(input: object): void {
  const named = Object.keys(place).find((field) => Object.hasOwn(input, field));
  if (named !== undefined) throw new Refusal('invalid_request', `${named}: not taken where everything is asked for`);
}
