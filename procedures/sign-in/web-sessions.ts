import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { MAX_ADDRESS_LENGTH, MAX_USER_AGENT_LENGTH } from '../../entities/people/web-session.ts';
import type { Principal } from '../../entities/principal.ts';
import { deleteWebSessionByToken, insertWebSession } from '../../entities/statements/people/web-session.ts';
import type { SignInRequest } from './attempts.ts';
import { generateToken, hashToken } from './tokens.ts';

interface NewSession {
  /** uniqueId of the person. */
  person: string;
  /** Company for which the session acts. The caller has checked that the person may act for it. */
  company: number;
  isSingleSignOn?: boolean;
  hasSecondFactor: boolean;
}

/**
 * Starts a session, and ends the one that the browser had before: its token may be known to somebody else (session fixation).
 * https://owasp.org/www-community/attacks/Session_fixation
 * @returns the token for the cookie
 */
export async function startWebSession(
  session: Session<Principal | null>,
  { browser: { userAgent, address }, currentToken }: Pick<SignInRequest, 'browser' | 'currentToken'>,
  { person, company, isSingleSignOn = false, hasSecondFactor }: NewSession,
): Promise<string> {
  if (currentToken !== undefined) await session.run(deleteWebSessionByToken, { tokenHash: hashToken(currentToken) });
  const { token, tokenHash } = generateToken();
  await session.one(insertWebSession, {
    uniqueId: newUniqueId(),
    tokenHash,
    person,
    actsFor: company,
    singleSignOn: isSingleSignOn,
    hasSecondFactor,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    address: address?.slice(0, MAX_ADDRESS_LENGTH) ?? null,
  });
  return token;
}
