import { p } from '@mikro-orm/core';
import type { FilterDef } from '@mikro-orm/core';
import { Company } from '../company/company.ts';
import { rowLevelSecurityFor } from './row-level-security.ts';
import type { CrossCompanyCommand } from './row-level-security.ts';

/** First column of every primary, unique and foreign key of a company's rows. */
export const companyKey = { company: () => p.manyToOne(Company).primary().updateRule('no action') };

/** The company without a foreign key. Another composite foreign key of the table implies the company. */
export const companyKeyWithoutForeignKey = {
  company: () => p.manyToOne(Company).primary().createForeignKeyConstraint(false),
};

/** Foreign key to a row of the same company. @param column with the id of the row */
export const companyReference = <Target extends Parameters<typeof p.manyToOne>[0]>(target: Target, column: string) =>
  p.manyToOne(target).joinColumns('company_id', column).updateRule('no action');

/** On by default: an entity manager without a company throws instead of reading. */
const companyFilter: Record<'company', FilterDef> = {
  company: { name: 'company', cond: ({ company }) => ({ company }), default: true, args: true },
};

/** Tenant isolation in two layers: the ORM's filter and PostgreSQL's policies. */
export const tenantIsolation = (...crossCompanyCommands: CrossCompanyCommand[]) => ({
  filters: companyFilter,
  ...rowLevelSecurityFor('company_id', crossCompanyCommands),
});
