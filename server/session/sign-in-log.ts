import { ApiError } from '../../entities/api-error.ts';
import { SignInError } from '../../procedures/sign-in/attempts.ts';
import type { SignedIn } from '../../procedures/sign-in/attempts.ts';
import { processCounters } from '../http/process-counters.ts';
import type { Context, SessionDependencies } from './route.ts';

/** Method with which a person signs in. */
export type Method = 'password' | 'invitation' | 'reset' | 'email' | 'passkey' | 'sso' | 'deletion';

/** Runs a sign-in, and records its result in the log and the metrics. Neither has an email, a password or a token. */
export async function recordSignIn<Result extends SignedIn>(
  ctx: Context,
  dependencies: Pick<SessionDependencies, 'log'>,
  method: Method,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const result = await recordAttempt(ctx, dependencies, method, attempt);
  const { person, company, hasSecondFactor } = result;
  const { requestId } = ctx.state;
  dependencies.log.info({ requestId, address: ctx.ip, method, person, company, hasSecondFactor }, 'sign-in: succeeded');
  processCounters.signIns.succeeded += 1;
  return result;
}

/** Runs an attempt, and records only its failure. */
export async function recordAttempt<Result>(
  ctx: Context,
  { log }: Pick<SessionDependencies, 'log'>,
  method: Method,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    const fields = { requestId: ctx.state.requestId, address: ctx.ip, method };
    if (error instanceof SignInError) {
      const { problem: reason, person, isFailure } = error;
      log.info({ ...fields, reason, person }, isFailure ? 'sign-in: failed' : 'sign-in: incomplete');
      processCounters.signIns[isFailure ? 'failed' : 'code_required'] += 1;
    } else if (error instanceof ApiError && error.reason === 'rate_limited') {
      log.info(fields, 'sign-in: rate limited');
      processCounters.signIns.rate_limited += 1;
    }
    throw error;
  }
}
