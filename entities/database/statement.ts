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
 * policies let it (`entities/tenancy.ts`).
 */
export type Reach = 'company' | 'every company';

/** SQL that is prepared once on each connection under its name and run with named values. */
export interface Statement<Input, Row> {
  name: string;
  text: string;
  values: (session: SessionValues, input: Input) => unknown[];
  reach: Reach;
  /** Whether it only reads: then it may run beside writers that wait, and again where the connection broke. */
  reads?: true;
  /** Whether it also looks at a few rows only, found by their keys: then it shares a connection with others of its kind. */
  brief?: true;
  /**
   * Where it changes one row and what hangs on it: which of those that change at once comes first. Then it shares a transaction
   * with others of its kind.
   */
  order?: (input: Input) => string;
  /** Never set: carries the type of a row. */
  row?: Row;
}

/**
 * Makes a statement from SQL with `:named` values. The principal's values come from the session that runs it,
 * so that no caller can name another company.
 * @param name unique; at most 63 characters, as PostgreSQL prepares it under this name.
 */
export function statement<Input extends object, Row>(
  name: string,
  sql: string,
  reach: Reach = 'company',
): Statement<Input, Row> {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, value: string) => {
    if (!names.includes(value)) names.push(value);
    return `$${names.indexOf(value) + 1}`;
  });
  const values = (session: SessionValues, input: Input) =>
    names.map((value): unknown => Reflect.get(value in session ? session : input, value));
  return { name, text, values, reach };
}

/** A statement that only reads: neither locks nor triggers, so that a standby could run it. */
export function reading<Input extends object, Row>(name: string, sql: string, reach?: Reach): Statement<Input, Row> {
  return { ...statement<Input, Row>(name, sql, reach), reads: true };
}

/** The same for one that looks at a few rows only, found by their keys, whatever is asked: others wait for its answer. */
export function brief<Input extends object, Row>(name: string, sql: string, reach?: Reach): Statement<Input, Row> {
  return { ...reading<Input, Row>(name, sql, reach), brief: true };
}

/**
 * A statement that changes one row and what hangs on it, and that locks nothing which others would have to wait for but what
 * `order` names.
 * @param order the lock that it takes, as text: where several are carried out together, all processes take the locks in the
 * order of these texts, so that none waits for another in a ring
 */
export function changing<Input extends object, Row>(
  name: string,
  sql: string,
  order: (input: Input) => string,
): Statement<Input, Row> {
  return { ...statement<Input, Row>(name, sql), order };
}

/** SQL with its values in order. */
export interface Part {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** A statement, and what its transaction is told before it: without that it meets no row of any company. */
export interface Bound extends Part {
  told?: Part;
  /** Index of the column of `told` that must be true. If it is not, the statement fails with `BEHIND`. */
  check?: number;
  /** Where it may be carried out together with others: its place among them. */
  order?: string | undefined;
}

/** Stands in `app.company` for every company; no company has this id. */
export const EVERY_COMPANY = '0';

// Each ends with the transaction. From the company the policies know whose rows there are; from the others the audit trigger
// knows whom to name.
const TELL_COMPANY = { name: 'tell.company', text: `select set_config('app.company', $1, true)` };
const TELL_ALL = {
  name: 'tell.all',
  text: `select set_config('app.company', $1, true), set_config('app.user', $2, true), set_config('app.key', $3, true),
    set_config('app.request', $4, true)`,
};

/** The statement with its values, and in front of it in which company it runs and, where it may write, who acts. */
export function bind<Input extends object, Row>(
  { name, text, values, reach, reads, order }: Statement<Input, Row>,
  input: Input,
  session: SessionValues,
): Bound {
  const company = reach === 'every company' ? EVERY_COMPANY : textOf(session.company);
  const told =
    reads === true
      ? { ...TELL_COMPANY, values: [company] }
      : { ...TELL_ALL, values: [company, textOf(session.user), textOf(session.key), textOf(session.request)] };
  return { name, text, values: values(session, input), told, order: order?.(input) };
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
