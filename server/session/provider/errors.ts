import { ApiError } from '../../../entities/api-error.ts';
import { UnreachableError } from '../../outbound/guarded-request.ts';
import { RETRY_SECONDS } from './cache.ts';

/**
 * Error for the person, without details: the cause is logged. A provider that does not respond is 503, as a later attempt
 * may succeed. A provider that rejects the request is 422, as an admin must change a setting.
 */
export async function toProviderError(cause: unknown): Promise<ApiError> {
  const { AuthorizationResponseError } = await import('openid-client');
  if (cause instanceof AuthorizationResponseError)
    return new ApiError('forbidden', 'The identity provider did not sign you in.', { cause });
  // The library wraps the errors of requests.
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof ApiError) return error;
  if (isUnreachable(cause))
    return new ApiError('unavailable', 'The identity provider of your company cannot be reached. Try again shortly.', {
      cause,
      retryAfter: RETRY_SECONDS,
    });
  return new ApiError(
    'unprocessable',
    'The identity provider sent no valid response. Ask an admin to check its settings.',
    { cause },
  );
}

const isUnreachable = (error: unknown): boolean =>
  (error instanceof Response && error.status >= 500) ||
  (error instanceof Error &&
    (error instanceof UnreachableError ||
      ('code' in error && error.code === 'OAUTH_TIMEOUT') ||
      isUnreachable(error.cause)));
