import { ALL_COMPANIES } from '../statements/define-statement.ts';

/** Company of the transaction's settings (`bind`). Null, which matches no row, if they have none. */
const CURRENT_COMPANY = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_ALL_COMPANIES = `( SELECT (current_setting('app.company'::text, true) = '${ALL_COMPANIES}'::text))`;

/** Commands that a statement for all companies may run on a table: keys are found before their company is known. */
export type CrossCompanyCommand = 'select' | 'insert' | 'update' | 'delete';

/**
 * Row-level security: a transaction sees and writes only rows of the company in `app.company`. It is forced, so that it
 * also applies to the owner of the table. PostgreSQL evaluates an expression once per statement if it is the only
 * policy, and per row otherwise; a sub-select is then evaluated once.
 * https://www.postgresql.org/docs/current/ddl-rowsecurity.html
 * @param column with the company's id
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
        // An INSERT reads no row, so its policy has only a check. That of an UPDATE is its USING by default.
        ...(command === 'insert' ? { check: IS_ALL_COMPANIES } : { using: IS_ALL_COMPANIES }),
      })),
    ],
  };
}

/**
 * Row-level security of a table without a company: only statements for all companies reach its rows. Procedures run them
 * for sign-ins, before a company is known, and check the person themselves.
 */
export const crossCompanyOnly = {
  rowLevelSecurity: 'force' as const,
  policies: [{ name: 'all_companies', command: 'all' as const, using: IS_ALL_COMPANIES, check: IS_ALL_COMPANIES }],
};
