import { z } from 'zod';
import { Refusal } from '../entities/refusal.ts';
import { expects, text } from './shapes.ts';

/** How many items a page holds. */
export const PAGE = { most: 100, unlessTold: 50 } as const;

const A_LIMIT = `an integer from 1 to ${PAGE.most}`;

/** What every paged list takes. */
export const place = {
  limit: z
    .int(expects(A_LIMIT))
    .min(1, expects(A_LIMIT))
    .max(PAGE.most, expects(A_LIMIT))
    .optional()
    .meta({ description: `Items of a page; ${PAGE.unlessTold} unless told otherwise` }),
  cursor: text('a cursor').optional().meta({ description: '`nextCursor` of the page before, with the same filters' }),
};

export interface Place {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What every paged list answers. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().meta({ description: 'Hand it back as `cursor`; null on the last page' }),
  });

const AnyPage = pageOf(z.unknown());

/**
 * All items of a paged list, page by page, each asked for when the one before is taken.
 * @param ask calls the list for one page
 */
export async function* everyPage(ask: (at: Place) => Promise<unknown>): AsyncGenerator<unknown[]> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = AnyPage.parse(await ask({ limit: PAGE.most, cursor: cursor ?? undefined }));
    cursor = page.nextCursor;
    yield page.items;
  }
}

/** @throws Refusal 400 where a place is named by who asks for everything */
export function refusePlace(input: object): void {
  const named = Object.keys(place).find((field) => Object.hasOwn(input, field));
  if (named !== undefined) throw new Refusal('invalid_request', `${named}: not taken where everything is asked for`);
}
