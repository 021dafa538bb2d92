import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { forModels, integerInput, textInput } from '../../entities/fields/schemas.ts';
import type { StreamedPages } from '../core/declaration/meta.ts';

/** Number of items in a page. */
export const PAGE_SIZE = { max: 100, default: 50 } as const;

/** Number of items that REST fetches at a time to stream an unpaged list. */
export const LIST_BATCH_SIZE = 500;

/** Maximum length of a cursor. A cursor may contain a name of maximum length. */
export const MAX_CURSOR_LENGTH = 3000;

/** Error of a cursor that the list did not return. Text that is not base64url is rejected before anything is looked up. */
export const INVALID_CURSOR = 'expected a cursor of this list with the same filters';

/** Documented bounds of a cursor, which is in base64url. */
export const cursorBounds = { maxLength: MAX_CURSOR_LENGTH, pattern: '^[A-Za-z0-9_-]+$' };

/**
 * Input fields of a list with pages of at most `maxPageSize` items.
 * @param limitOmitted describes the response without `limit`
 * @param forModel description of `limit` for models, if it is shorter
 */
export function paginationInput(maxPageSize: number, limitOmitted: string, forModel?: string) {
  const description = `Maximum number of items in a page; ${limitOmitted}`;
  return {
    limit: integerInput(1, maxPageSize)
      .meta({ description, format: 'int32', examples: [50] })
      .register(forModels, { description: forModel ?? description })
      .optional(),
    cursor: textInput('a cursor', MAX_CURSOR_LENGTH)
      .regex(new RegExp(cursorBounds.pattern), INVALID_CURSOR)
      .meta({
        ...cursorBounds,
        description: '`nextCursor` of the previous page; requires the same filters',
        examples: ['c2VhbGVkIGFuZCBzaG9ydGVuZWQ'],
      })
      .register(forModels, { description: '`nextCursor` of the previous page', pattern: undefined })
      .optional(),
  };
}

const BY_DEFAULT = `${PAGE_SIZE.default} by default`;

/** Input fields of every list that is always paged. */
export const pagination = paginationInput(PAGE_SIZE.max, BY_DEFAULT, BY_DEFAULT);

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Response of every paged list. */
export const pageOutput = <Item extends z.ZodType>(item: Item, maxItems: number = PAGE_SIZE.max) =>
  z.object({
    items: z.array(item).meta({ maxItems, description: 'Items of this page, in the order of the list' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        ...cursorBounds,
        description: 'Send it as `cursor` to get the next page; null on the last page',
        examples: [null],
      }),
  });

const AnyPage = pageOutput(z.unknown());

/** The pages of a list with `nextCursor`. */
export const LIST_PAGES: StreamedPages = {
  pageSize: PAGE_SIZE.max,
  forbiddenFields: Object.keys(pagination),
  allowedFields: ({ sort }) => (sort === 'sample' ? ['limit'] : []),
  parsePage: (page) => AnyPage.parse(page),
};

/**
 * Yields the items of a paged list page by page. Fetches each page only after the consumer has taken the previous one.
 * @param fetchPage calls the list for another page
 */
export async function* iteratePages(
  { parsePage }: Pick<StreamedPages, 'parsePage'>,
  firstPage: unknown,
  fetchPage: (cursor: string) => Promise<unknown>,
): AsyncGenerator<unknown[]> {
  let page = parsePage(firstPage);
  yield page.items;
  while (page.nextCursor !== null) {
    page = parsePage(await fetchPage(page.nextCursor));
    yield page.items;
  }
  if (page.trailer !== undefined) yield [page.trailer];
}

/**
 * Checks the input of a list that is paged only if the client sends `limit`.
 * @throws ApiError `invalid_request` for a cursor without a limit
 */
export function requireLimitWithCursor({ limit, cursor }: PageRequest): void {
  if (cursor !== undefined && limit === undefined) throw new ApiError('invalid_request', 'limit: required with cursor');
}

/**
 * Rejects input fields that do not apply to a request for all items as a file.
 * @param mediaType of the file
 * @throws ApiError `invalid_request` that names the field
 */
export function forbidFields(input: object, fields: readonly string[], mediaType: string): void {
  const presentField = fields.find((field) => Object.hasOwn(input, field));
  if (presentField !== undefined)
    throw new ApiError('invalid_request', `${presentField}: not allowed with Accept: ${mediaType}`);
}
