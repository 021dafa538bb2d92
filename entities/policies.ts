import { EVERY_COMPANY } from './database/statement.ts';

/** The company that the transaction was told of (`bind`); null, which is no row's, when it was told of none. */
const ITS_COMPANY = `(NULLIF(current_setting('app.company'::text, true), ''::text))::integer`;
const IS_EVERY = `( SELECT (current_setting('app.company'::text, true) = '${EVERY_COMPANY}'::text))`;

/** What the service's role may do with a table beside reading it. Every entity declares it (`entities/index.ts`). */
export type WritePrivileges = readonly ('insert' | 'update' | 'delete')[];

/** What a statement for every company may do with a table, as keys are found before their company is known. */
export type ForEvery = 'select' | 'update' | 'delete';

/**
 * The second wall: PostgreSQL itself keeps the rows of a table to the company that a transaction was told of, whatever
 * SQL asks for them and whoever owns the table. Where there is no other policy, one that compares with an expression is
 * looked at once for a statement, beside the company that it asks for; where there is, a sub-select is, and the expression
 * would be for each row.
 * @param column that holds the company's id
 */
export function walled(column: string, forEvery: readonly ForEvery[] = []) {
  const own = forEvery.length === 0 ? ITS_COMPANY : `( SELECT ${ITS_COMPANY} AS "nullif")`;
  return {
    rowLevelSecurity: 'force' as const,
    policies: [
      { name: 'of_its_company', command: 'all' as const, using: `(${column} = ${own})`, check: `(${column} = ${own})` },
      ...forEvery.map((command) => ({ name: `${command}_of_every_company`, command, using: IS_EVERY })),
    ],
  };
}
