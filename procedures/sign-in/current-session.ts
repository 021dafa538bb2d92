import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, misdirected, notFound } from '../../entities/api-error.ts';
import { bodyId } from '../../entities/fields/schemas.ts';
import type { Role } from '../../entities/member/role.ts';
import { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import { signOut } from '../../entities/sign-in/session-end.ts';
import { findCurrentSession, switchCompany } from '../../entities/sign-in/web-session-statements.ts';
import type { WebSession } from '../core/context.ts';
import { toStoredBrowser } from './attempts.ts';
import type { Browser } from './attempts.ts';

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
  company: { id: number; name: string; timeZone: string };
  role: Role | null;
  companies: { id: number; name: string; role: Role }[];
}

export const SwitchInput = z.strictObject({ company: bodyId('Id of the company') });

export async function describeSession(current: CurrentSession): Promise<SessionDescription> {
  const { session, webSession } = current;
  const { company, user, role } = session.principal;
  const { row, companies } = await findCompanies(current);
  return {
    person: { uniqueId: webSession.person, email: row.email, name: row.name },
    member: user.uniqueId,
    company: { id: company, name: row.company_name, timeZone: row.time_zone },
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
  const { companies } = await findCompanies(current);
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
async function findCompanies({ session, webSession: { uniqueId, person } }: CurrentSession) {
  const row = await session.first(findCurrentSession, { uniqueId });
  if (row === undefined) throw new ApiError('unauthorized', 'The session has ended.'); // since its authentication
  const singleSignOnCompany = row.single_sign_on ? session.principal.company : null;
  return { row, companies: await session.run(findCompaniesOfPerson, { person, singleSignOnCompany }) };
}
