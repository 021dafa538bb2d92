import { ALL_COMPANIES } from '../statements/define-statement.ts';

/** The company that the transaction was told of (`bind`); null, which is no row's, when it was told of none. */
const CURRENT_COMPANY = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_ALL_COMPANIES = `( SELECT (current_setting('app.company'::text, true) = '${ALL_COMPANIES}'::text))`;

/** What the service's role may do with a table beside reading it. Every entity declares it (`entities/index.ts`). */
export type WritePrivileges = readonly ('insert' | 'update' | 'delete')[];

/** What a statement for every company may do with a table, as keys are found before their company is known. */
export type CrossCompanyCommand = 'select' | 'update' | 'delete';

/**
 * The second wall: PostgreSQL itself keeps the rows of a table to the company that a transaction was told of, whatever
 * SQL asks for them and whoever owns the table. Where there is no other policy, one that compares with an expression is
 * looked at once for a statement, beside the company that it asks for; where there is, a sub-select is, and the expression
 * would be for each row.
 * @param column that holds the company's id
 */
export function rowLevelSecurityFor(column: string, crossCompanyCommands: readonly CrossCompanyCommand[] = []) {
  const currentCompany =
    crossCompanyCommands.length === 0 ? CURRENT_COMPANY : `( SELECT ${CURRENT_COMPANY} AS "nullif")`;
  return {
    rowLevelSecurity: 'force' as const,
    policies: [
      {
        name: 'company_isolation',
        command: 'all' as const,
        using: `(${column} = ${currentCompany})`,
        check: `(${column} = ${currentCompany})`,
      },
      ...crossCompanyCommands.map((command) => ({
        name: `${command}_all_companies`,
        command,
        using: IS_ALL_COMPANIES,
      })),
    ],
  };
}
