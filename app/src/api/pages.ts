import { infiniteQueryOptions, skipToken } from '@tanstack/react-query';
import type { QueryKey, SkipToken } from '@tanstack/react-query';

/** Loads a page. @param position the cursor of the page; empty for the first one */
export type LoadPage<Page> = (position: { cursor?: string }, options: { signal: AbortSignal }) => Promise<Page>;

/** Key of the pages of a list, which differs from that of a single page. @param procedureKey key of the procedure with its input */
export const pagesKey = (procedureKey: QueryKey) => [...procedureKey, 'pages'];

/**
 * Options of a list that is loaded page by page. `infiniteQueryOptions` of tRPC adds an input field that the API rejects.
 * @param loadPage `skipToken` until the input is known
 */
export const pagesOptions = <Page extends { nextCursor?: string | null }>(
  procedureKey: QueryKey,
  loadPage: LoadPage<Page> | SkipToken,
) =>
  infiniteQueryOptions({
    queryKey: pagesKey(procedureKey),
    queryFn:
      loadPage === skipToken
        ? skipToken
        : ({ pageParam, signal }) => loadPage(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

const FIRST_PAGE: string | null = null;
