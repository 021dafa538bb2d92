/** Parameters of the URL as plain text, like those of the API. The router would write values as JSON. */
export type Search = Record<string, string | undefined>;

export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: object): string {
  const parameters = new URLSearchParams(Object.entries(textSearch(search)).map(([name, value = '']) => [name, value]));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/** Keeps the values that are text. */
export function textSearch(search: object): Search {
  const texts: Search = {};
  for (const [name, value] of Object.entries(search)) if (typeof value === 'string') texts[name] = value;
  return texts;
}

/** A path of the application to which a person returns after the sign-in; `/` for everything else. */
export const localPath = (value: string | undefined): string =>
  value !== undefined && /^\/(?![/\\])/.test(value) ? value : '/';
