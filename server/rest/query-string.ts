import { ApiError } from '../../entities/api-error.ts';

/** @throws ApiError 400 if the query contains percent-encoded bytes that are not UTF-8, which decoding would replace */
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

/** Returns true if the query requests the current state of an item, not a past one (`asOf`). */
export const isCurrentState = (querystring: string): boolean =>
  querystring === '' || !new URLSearchParams(querystring).has('asOf');
