import { z } from 'zod';
import { newUniqueId } from '../../entities/ids.ts';
import type { SignInMethod } from '../../entities/sign-in/sign-in.ts';
import { endSessionByToken, signOut } from '../../entities/sign-in/session-end.ts';
import { insertWebSession, findCurrentSession, switchCompany } from '../../entities/sign-in/web-session-statements.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, misdirected, notFound } from '../../entities/api-error.ts';
import type { Role } from '../../entities/member/role.ts';
import { bodyId } from '../../entities/fields/schemas.ts';
import type { AnySession, WebSession } from '../core/context.ts';
import { toStoredBrowser } from './attempts.ts';
import type { SignedIn, SignInRequest, Browser } from './attempts.ts';
import { generateToken, hashToken } from './tokens.ts';
import { findCompanies } from '../member/companies.ts';

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

/** A browser session after its authentication. */
export interface CurrentSession {
  session: Session;
  webSession: WebSession;
  browser: Browser;
}

/** Person, company and role of a session, and the companies to which the person can switch. */
interface SessionDescription {
  person: { uniqueId: string; email: string; name: string };
  /** uniqueId of the member. */
  member: string;
  company: { id: number; name: string; timeZone: string; lockClosed: boolean };
  role: Role | null;
  companies: { id: number; name: string; role: Role }[];
}

export const SwitchInput = z.strictObject({ company: bodyId('Id of the company') });

export async function describeSession(current: CurrentSession): Promise<SessionDescription> {
  const { session, webSession } = current;
  const { company, user, role } = session.principal;
  const { row, companies } = await findCompaniesOf(current);
  return {
    person: { uniqueId: webSession.person, email: row.email, name: row.name },
    member: user.uniqueId,
    company: { id: company, name: row.company_name, timeZone: row.time_zone, lockClosed: row.lock_closed },
    role,
    companies: companies
      .filter(({ movedTo }) => movedTo === null)
      .map(({ id, name, role: roleThere }) => ({ id, name, role: roleThere }))
      .toSorted((a, b) => a.name.localeCompare(b.name) || a.id - b.id),
  };
}

/** Makes a session act for another company of the person. @throws ApiError 404, 421 for a company that was moved away */
export async function switchSession(
  current: CurrentSession,
  { company: actsFor }: z.output<typeof SwitchInput>,
): Promise<void> {
  const { companies } = await findCompaniesOf(current);
  const target = companies.find(({ id }) => id === actsFor);
  if (target === undefined) throw notFound('company');
  if (target.movedTo !== null) throw misdirected(target.movedTo);
  const { session, webSession, browser } = current;
  await session.run(switchCompany, { ...webSession, ...toStoredBrowser(browser), actsFor });
}

/** Ends a session. */
export async function endSession({ session, webSession, browser }: CurrentSession): Promise<void> {
  await session.run(signOut, { ...webSession, ...toStoredBrowser(browser) });
}

/** Companies for which the person may act with the method of this sign-in. */
async function findCompaniesOf({ session, webSession: { uniqueId, person } }: CurrentSession) {
  const row = await session.first(findCurrentSession, { uniqueId });
  if (row === undefined) throw new ApiError('unauthorized', 'The session has ended.'); // since its authentication
  const singleSignOnCompany = row.single_sign_on ? session.principal.company : null;
  return { row, companies: await findCompanies(session, { person, singleSignOnCompany }) };
}
