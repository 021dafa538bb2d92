/** A part of a page that is generated: `<!-- /fields -->`. */
const END_MARKER = /<!-- \/\w+ -->/;

/**
 * Writes the generated tables into a page. They derive from the schemas, the router and the list of personal data, so no page can differ
 * from the code. The modules that make them are loaded for a page that has one.
 */
export async function withTables(page: string): Promise<string> {
  if (!END_MARKER.test(page)) return page;
  const [{ withFieldTables }, { withToolTables }, { withPrivacyTables }] = await Promise.all([
    import('./field-tables.ts'),
    import('./tool-tables.ts'),
    import('./privacy-tables.ts'),
  ]);
  return withPrivacyTables(withToolTables(withFieldTables(page)));
}
