/** Text that the names and texts of a company contain, and that no response to another company may show. */
export const companyMarker = (company: number): string => `zq${String(company).padStart(6, '0')}qz`;

/** Returns the markers of other companies in a text. @param own the marker that the text may contain */
export const foreignMarkers = (text: string, own?: string): string[] =>
  [...new Set(text.match(/zq\d{6}qz/g))].filter((marker) => marker !== own);
