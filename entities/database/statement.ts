/** What a statement knows of who runs it, beside its input. Written `:company`, `:user`, `:key`, `:request`. */
const FROM_SESSION = ['company', 'user', 'key', 'request'] as const;
export type SessionValues = Partial<Record<(typeof FROM_SESSION)[number], unknown>>;

/** SQL that is prepared once on each connection under its name and run with named values. */
export interface Statement<Input, Row> {
  name: string;
  text: string;
  values: (session: SessionValues, input: Input) => unknown[];
  /** Never set: carries the type of a row. */
  row?: Row;
}

/**
 * Makes a statement from SQL with `:named` values. The principal's values come from the session that runs it,
 * so that no caller can name another company.
 * @param name unique; at most 63 characters, as PostgreSQL prepares it under this name.
 */
export function statement<Input extends object, Row>(name: string, sql: string): Statement<Input, Row> {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, value: string) => {
    if (!names.includes(value)) names.push(value);
    return `$${names.indexOf(value) + 1}`;
  });
  const values = (session: SessionValues, input: Input) => {
    const all = new Map(Object.entries({ ...input, ...session }));
    return names.map((value) => all.get(value));
  };
  return { name, text, values };
}

/**
 * First CTE of every write: tells the transaction, which is this one statement, who acts. The audit trigger
 * reads it and refuses a write that lacks it. Use it with `from me`, or the planner leaves it out.
 */
export const me = `me as materialized (select
  set_config('app.company', (:company::int)::text, true) as company,
  set_config('app.user', (:user::uuid)::text, true),
  set_config('app.key', coalesce((:key::uuid)::text, ''), true),
  set_config('app.request', :request::text, true))`;
