import { ApiError } from '../../entities/api-error.ts';

/** @throws Refusal 400 for a query with escapes that are no UTF-8: decoding would put another text in its place. */
export function requireUtf8(querystring: string): void {
  if (!querystring.includes('%')) return;
  for (const pair of querystring.split('&')) {
    try {
      decodeURIComponent(pair);
    } catch (cause) {
      const [name = ''] = pair.split('=');
      throw new ApiError('invalid_request', `${name.slice(0, 100)}: expected UTF-8, percent-encoded`, { cause });
    }
  }
}

/** Whether an item is asked for as it is now, and not as it was. */
export const isCurrentState = (querystring: string): boolean =>
  querystring === '' || !new URLSearchParams(querystring).has('asOf');
