/** What a statement knows of who runs it, beside its input. Written `:company`, `:user`, … */
export interface SessionValues {
  company?: unknown;
  user?: unknown;
  key?: unknown;
  /** Frameworks the key is limited to; null for all. */
  keyFrameworks?: unknown;
  request?: unknown;
}

/**
 * Whose rows a statement may meet: those of the company that it runs for, or every company's, of the few tables whose
 * policies let it (`entities/schema/tenancy.ts`).
 */
export type RowScope = 'company' | 'all companies';

/** SQL that is prepared once on each connection under its name and run with named values. */
export interface Statement<Input, Row> {
  name: string;
  text: string;
  values: (session: SessionValues, input: Input) => unknown[];
  rowScope: RowScope;
  /** Whether it only reads: then it may run beside writers that wait, and again where the connection broke. */
  readOnly?: true;
  /** Whether it also looks at a few rows only, found by their keys: then it shares a connection with others of its kind. */
  pipelined?: true;
  /**
   * Where it changes one row and what hangs on it: which of those that change at once comes first. Then it shares a transaction
   * with others of its kind.
   */
  lockKey?: (input: Input) => string;
  /** Never set: carries the type of a row. */
  row?: Row;
}

/**
 * Makes a statement from SQL with `:named` values. The principal's values come from the session that runs it,
 * so that no caller can name another company.
 * @param name unique; at most 63 characters, as PostgreSQL prepares it under this name.
 */
export function defineStatement<Input extends object, Row>(
  name: string,
  sql: string,
  rowScope: RowScope = 'company',
): Statement<Input, Row> {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, value: string) => {
    if (!names.includes(value)) names.push(value);
    return `$${names.indexOf(value) + 1}`;
  });
  const values = (session: SessionValues, input: Input) =>
    names.map((value): unknown => Reflect.get(value in session ? session : input, value));
  return { name, text, values, rowScope };
}

/** A statement that only reads: neither locks nor triggers, so that a standby could run it. */
export function readStatement<Input extends object, Row>(
  name: string,
  sql: string,
  rowScope?: RowScope,
): Statement<Input, Row> {
  return { ...defineStatement<Input, Row>(name, sql, rowScope), readOnly: true };
}

/** The same for one that looks at a few rows only, found by their keys, whatever is asked: others wait for its answer. */
export function pipelinedRead<Input extends object, Row>(
  name: string,
  sql: string,
  rowScope?: RowScope,
): Statement<Input, Row> {
  return { ...readStatement<Input, Row>(name, sql, rowScope), pipelined: true };
}

/**
 * A statement that changes one row and what hangs on it, and that locks nothing which others would have to wait for but what
 * `order` names.
 * @param lockKey the lock that it takes, as text: where several are carried out together, all processes take the locks in the
 * order of these texts, so that none waits for another in a ring
 */
export function batchedWrite<Input extends object, Row>(
  name: string,
  sql: string,
  lockKey: (input: Input) => string,
): Statement<Input, Row> {
  return { ...defineStatement<Input, Row>(name, sql), lockKey };
}

/** SQL with its values in order. */
export interface SqlCommand {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** A statement, and what its transaction is told before it: without that it meets no row of any company. */
export interface BoundStatement extends SqlCommand {
  settings?: SqlCommand;
  /** Index of the column of `told` that must be true. If it is not, the statement fails with `BEHIND`. */
  check?: number;
  /** Where it may be carried out together with others: its place among them. */
  lockKey?: string | undefined;
}

/** Stands in `app.company` for every company; no company has this id. */
export const ALL_COMPANIES = '0';

// Each ends with the transaction. From the company the policies know whose rows there are; from the others the audit trigger
// knows whom to name.
const COMPANY_SETTINGS = { name: 'settings.company', text: `select set_config('app.company', $1, true)` };
const PRINCIPAL_SETTINGS = {
  name: 'settings.principal',
  text: `select set_config('app.company', $1, true), set_config('app.user', $2, true), set_config('app.key', $3, true),
    set_config('app.request', $4, true)`,
};

/** The statement with its values, and in front of it in which company it runs and, where it may write, who acts. */
export function bind<Input extends object, Row>(
  { name, text, values, rowScope, readOnly, lockKey }: Statement<Input, Row>,
  input: Input,
  session: SessionValues,
): BoundStatement {
  const company = rowScope === 'all companies' ? ALL_COMPANIES : settingText(session.company);
  const settings =
    readOnly === true
      ? { ...COMPANY_SETTINGS, values: [company] }
      : {
          ...PRINCIPAL_SETTINGS,
          values: [company, settingText(session.user), settingText(session.key), settingText(session.request)],
        };
  return { name, text, values: values(session, input), settings, lockKey: lockKey?.(input) };
}

const settingText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
