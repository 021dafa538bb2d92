import { randomBytes } from 'node:crypto';
import { sql } from '../database/database.ts';
import { createCompany } from '../tenants/company.ts';
import { createMember } from '../tenants/member.ts';
import { CLIENT } from './browser.ts';

/** Settings of single sign-on. */
export interface Settings {
  issuer: string;
  clientId?: string;
  required?: boolean;
  trustEmail?: boolean;
  role?: 'admin' | 'editor' | 'auditor';
  domains?: string[];
  /** True by default. */
  isConfirmed?: boolean;
}

export const newDomain = () => `d${randomBytes(6).toString('hex')}.example`;

/** Creates a company with an admin, and with single sign-on from its domains. */
export async function createSsoCompany({ domains = [newDomain()], isConfirmed = true, ...given }: Settings) {
  const company = await createCompany();
  const admin = await createMember(company, { role: 'admin' });
  const settings = { ...CLIENT, domains, required: false, role: 'editor' as const, ...given };
  await admin.caller.management.sso.set(settings);
  if (isConfirmed) for (const domain of domains) await company.manage.sso.confirm({ domain });
  return { company, admin, domain: domains[0] ?? '', settings };
}

/** Members of a company with an email. */
export const membersOf = (company: number, email: string) =>
  sql<{
    unique_id: string;
    person_id: string;
    role: string;
    password: string | null;
    name: string;
    single_sign_on: string | null;
  }>(
    `select m.unique_id, m.person_id, m.role, p.password, p.name, m.single_sign_on from member m join person p on p.unique_id = m.person_id
     where m.company_id = $1 and p.email = $2`,
    company,
    email,
  );
