/**
 * Reads the pages of a list, each when the caller takes it.
 * @param list returns the page at a cursor, or the first page without one
 */
export async function* readPages<Page extends { nextCursor?: string | null | undefined }>(
  list: (from: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  let page = await list({});
  yield page;
  while (typeof page.nextCursor === 'string') {
    page = await list({ cursor: page.nextCursor });
    yield page;
  }
}
