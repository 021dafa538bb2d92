import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../entities/api-error.ts';

/**
 * Rejects headers that only REST supports. In a batch of calls, they would not belong to a particular call. Ignoring them
 * would mislead a client that relies on them.
 * @throws ApiError 400
 */
export function rejectRestHeaders(headers: IncomingHttpHeaders): void {
  for (const name of ['If-Match', 'Idempotency-Key'])
    if (headers[name.toLowerCase()] !== undefined) {
      throw new ApiError('invalid_request', `${name}: supported only below /external`);
    }
}
