import { newUniqueId } from '../../entities/ids.ts';
import type { SignInMethod } from '../../entities/sign-in/sign-in.ts';
import { endSessionByToken } from '../../entities/sign-in/session-end.ts';
import { insertWebSession } from '../../entities/sign-in/web-session-statements.ts';
import type { AnySession } from '../core/context.ts';
import { toStoredBrowser } from './attempts.ts';
import type { SignedIn, SignInRequest } from './attempts.ts';
import { generateToken, hashToken } from './tokens.ts';

interface NewSession {
  /** uniqueId of the person. */
  person: string;
  /** Company for which the session acts. The caller has checked that the person may act for it. */
  company: number;
  method: SignInMethod;
  /** Domain of the email that the identity provider sent; undefined for another method. */
  singleSignOnDomain?: string | null;
  hasSecondFactor: boolean;
}

/**
 * Starts a session, and ends the one that the browser had before: its token may be known to somebody else (session fixation).
 * https://owasp.org/www-community/attacks/Session_fixation
 * @returns the session, with its token for the cookie
 */
export async function startWebSession(
  session: AnySession,
  { browser, currentToken }: Pick<SignInRequest, 'browser' | 'currentToken'>,
  { person, company, method, singleSignOnDomain = null, hasSecondFactor }: NewSession,
): Promise<SignedIn> {
  if (currentToken !== undefined) await session.run(endSessionByToken, { tokenHash: hashToken(currentToken) });
  const { token, tokenHash } = generateToken();
  await session.one(insertWebSession, {
    uniqueId: newUniqueId(),
    tokenHash,
    person,
    actsFor: company,
    method,
    singleSignOnDomain,
    hasSecondFactor,
    ...toStoredBrowser(browser),
  });
  return { token, person, company, hasSecondFactor };
}
