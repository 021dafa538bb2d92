import { p } from '@mikro-orm/core';
import type { FilterDef } from '@mikro-orm/core';
import { Company } from '../company.ts';
import { rowLevelSecurityFor } from './row-level-security.ts';
import type { CrossCompanyCommand } from './row-level-security.ts';

/** The column that stands first in every primary, unique and foreign key of a company's rows. */
export const companyKey = { company: () => p.manyToOne(Company).primary().updateRule('no action') };

/** The same without a foreign key of its own: another composite key of the table leads to the company. */
export const companyKeyWithoutForeignKey = {
  company: () => p.manyToOne(Company).primary().createForeignKeyConstraint(false),
};

/** On by default: a fork of the entity manager that was told no company throws instead of reading. */
const companyFilter: Record<'company', FilterDef> = {
  company: { name: 'company', cond: ({ company }) => ({ company }), default: true, args: true },
};

/** Both walls between companies: the ORM's filter and PostgreSQL's policies. */
export const tenantIsolation = (...crossCompanyCommands: CrossCompanyCommand[]) => ({
  filters: companyFilter,
  ...rowLevelSecurityFor('company_id', crossCompanyCommands),
});
