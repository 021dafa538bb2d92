import { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import type { AnySession } from '../core/context.ts';
import { isOver } from '../schemas/time-zone.ts';

/** Companies for which a person may act, as `findCompaniesOfPerson`, without those whose membership ended with a day that is over. */
export async function findCompanies(
  session: AnySession,
  input: { person: string; singleSignOnCompany: number | null },
) {
  const companies = await session.run(findCompaniesOfPerson, input);
  return companies.filter(({ endsAt, timeZone }) => !isOver(endsAt, timeZone, session.now));
}
