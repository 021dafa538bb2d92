import type { ParameterizedContext } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import type { Context } from '../../procedures/core/context.ts';
import { withoutSlot } from '../http/load-shedding.ts';
import type { RequestState } from '../http/request-state.ts';
import type { AuthenticationResult } from './credentials.ts';
import type { RateLimits } from './rate-limit.ts';

/**
 * Creates the functions with which a procedure controls its request: it counts as several requests, or it only waits.
 * @param authenticateAgain authenticates the credentials of the request
 */
export function requestControl(
  ctx: ParameterizedContext<RequestState>,
  context: Context,
  authenticateAgain: () => Promise<AuthenticationResult>,
  limits: RateLimits | undefined,
): Pick<Context, 'consumeRequests' | 'suspend'> {
  let suspended = 0;
  /** Releases the slot of the request once, however many calls of a tRPC batch wait. */
  const whileSuspended = async (work: () => Promise<void>): Promise<void> => {
    suspended += 1;
    try {
      await (suspended === 1 ? withoutSlot(ctx, work) : work());
    } finally {
      suspended -= 1;
    }
  };
  return {
    consumeRequests: async (requests) => {
      const error = await limits?.consume(ctx.res, context, requests, 1); // the request itself was counted
      if (error !== undefined) throw error;
    },
    suspend: async (work) => {
      const disconnected = new AbortController();
      const onClose = () => disconnected.abort();
      ctx.res.once('close', onClose);
      if (ctx.res.destroyed || ctx.res.closed) onClose();
      try {
        await whileSuspended(() => work(disconnected.signal));
      } finally {
        ctx.res.off('close', onClose);
      }
      const { session } = (await authenticateAgain()).context;
      if (!session.hasPrincipal()) throw new Error('suspend: expected a principal, as before');
      if (session.principal.company !== context.session.principal?.company)
        throw new ApiError('conflict', 'The session acts for another company now.');
      return session;
    },
  };
}
