/** Values of the session that runs a statement. They are available as placeholders beside the statement's input. */
export interface SessionValues {
  company?: unknown;
  user?: unknown;
  key?: unknown;
  /** Frameworks that the key is limited to; null for all. */
  keyFrameworks?: unknown;
  scopes?: unknown;
  /** True for an admin and for the operator. */
  isAdmin?: unknown;
  request?: unknown;
}

/**
 * Rows visible to a statement: those of the session's company, or those of all companies. Only tables with a policy for
 * all companies show any row to the latter (`entities/schema/tenancy.ts`).
 */
export type RowScope = 'company' | 'all companies';

/** SQL that is prepared once on each connection under its name. */
export interface Statement<Input, Row> {
  name: string;
  text: string;
  values: (session: SessionValues, input: Input) => unknown[];
  rowScope: RowScope;
  /** A read takes no slot for writers and is retried after a lost connection. */
  readOnly?: true;
  /** A read of a few rows by key. May be pipelined with other reads on one connection. */
  pipelined?: true;
  /** A write of the service's own records, which has no audit event, so that no seal follows. */
  isBookkeeping?: true;
  /** Lock that the statement takes, as text. Statements with a lock key may share a transaction, in the order of their keys. */
  lockKey?: (input: Input) => string;
  /** Never set: carries the type of a row. */
  row?: Row;
}

/** Placeholders for the input and the session values. The compiler rejects any other name. */
export type Placeholders<Input> = { readonly [Name in keyof Input | keyof SessionValues]: string };

/** SQL as a function of its placeholders; plain text if it takes no values. */
type Sql<Input> = string | ((placeholders: Placeholders<Input>) => string);

/** Delimits the name of a placeholder until the statement gives it a number. Occurs in no SQL. */
const PLACEHOLDER = /⟨(\w+)(\|json)?⟩/g;
const namedPlaceholders: object = new Proxy(
  {},
  {
    get: (_, name) => `⟨${String(name)}⟩`,
    ownKeys() {
      throw new Error('placeholders: expected access by name; rest and spread copy none of them');
    },
  },
);

/** SQL of a value as JSON. PostgreSQL would otherwise read an array as one of its own. */
export const asJson = (placeholder: string) => `${placeholder.replace('⟩', '|json⟩')}::text::jsonb`;

/**
 * SQL of the company, for lists: the planner does not know it. Of a company that its statistics lack, because it is newer than the last ANALYZE, it
 * would expect one row, and read all rows of the company where it needs a few. decision 0020.
 */
export const anyCompany = (company: string) => `(select ${company}::int)`;

/**
 * Makes a statement. Session values take precedence over the input, so that no caller can name another company.
 * @param name unique; at most 63 characters, the limit of PostgreSQL for names of prepared statements
 */
export function defineStatement<Input extends object, Row>(
  name: string,
  sql: Sql<Input>,
  rowScope: RowScope = 'company',
): Statement<Input, Row> {
  const parameters: { name: string; isJson: boolean }[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the proxy has every name
  const namedSql = typeof sql === 'string' ? sql : sql(namedPlaceholders as Placeholders<Input>);
  const text = namedSql.replaceAll(PLACEHOLDER, (_, given: string, json?: string) => {
    const isJson = json !== undefined;
    const known = parameters.findIndex((parameter) => parameter.name === given && parameter.isJson === isJson);
    return `$${known >= 0 ? known + 1 : parameters.push({ name: given, isJson })}`;
  });
  const values = (session: SessionValues, input: Input) =>
    parameters.map(({ name: given, isJson }): unknown => {
      const value: unknown = Reflect.get(given in session ? session : input, given);
      return isJson && value !== undefined && value !== null ? JSON.stringify(value) : value;
    });
  return { name, text, values, rowScope };
}

/** A statement that only reads. It takes no locks and fires no triggers, so a standby can run it. */
export function readStatement<Input extends object, Row>(
  name: string,
  sql: Sql<Input>,
  rowScope?: RowScope,
): Statement<Input, Row> {
  return { ...defineStatement<Input, Row>(name, sql, rowScope), readOnly: true };
}

/** A read of a few rows by key, for any input: other reads on the connection wait for its result. */
export function pipelinedRead<Input extends object, Row>(
  name: string,
  sql: Sql<Input>,
  rowScope?: RowScope,
): Statement<Input, Row> {
  return { ...readStatement<Input, Row>(name, sql, rowScope), pipelined: true };
}

/** A write of the service's own records, such as deliveries of webhooks. It has no audit event, so it starts no sealing. */
export function bookkeepingWrite<Input extends object, Row>(
  name: string,
  sql: Sql<Input>,
  rowScope?: RowScope,
): Statement<Input, Row> {
  return { ...defineStatement<Input, Row>(name, sql, rowScope), isBookkeeping: true };
}

/**
 * A write of one row and its dependent rows. Other transactions may wait for no lock of it except `lockKey`.
 * @param lockKey the lock, as text. All processes take the locks of a batch in the order of these texts, which prevents deadlocks.
 */
export function batchedWrite<Input extends object, Row>(
  name: string,
  sql: Sql<Input>,
  lockKey: (input: Input) => string,
): Statement<Input, Row> {
  return { ...defineStatement<Input, Row>(name, sql), lockKey };
}

/** Time at which a retention job runs, as an ISO 8601 text. */
interface RetentionInput {
  now: string;
}

/** A statement that deletes rows of all companies. `deleted` is the largest number of one table. */
export interface RetentionStatement extends Statement<RetentionInput, { deleted: number }> {
  /** Maximum number of rows of a table that it deletes, which keeps its locks short. */
  batchSize: number;
}

/** @param deletions SQL of the deletion from each table, up to `limit` rows, at a time */
export function retentionStatement(
  name: string,
  deletions: (limit: number, now: string) => string[],
  batchSize = 1000,
): RetentionStatement {
  const sql = ({ now }: Placeholders<RetentionInput>) => {
    const parts = deletions(batchSize, now).map((deletion, index) => ({ part: `deleted_${index}`, deletion }));
    return `with ${parts.map(({ part, deletion }) => `${part} as (${deletion} returning 1)`).join(',\n  ')}
  select greatest(${parts.map(({ part }) => `(select count(*) from ${part})`).join(', ')})::int as deleted`;
  };
  return { ...defineStatement<RetentionInput, { deleted: number }>(name, sql, 'all companies'), batchSize };
}

/** SQL with its values in order. */
export interface SqlCommand {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** A statement with the settings of its transaction. Without settings it sees no row of any company. */
export interface BoundStatement extends SqlCommand {
  settings?: SqlCommand;
  /** Index of the settings column that must be true. If it is false, the replica is behind and the statement fails. */
  check?: number;
  /** Order of the statement in a batch; undefined if it may not be batched. */
  lockKey?: string | undefined;
}

/** Value of `app.company` for all companies. No company has this id. */
export const ALL_COMPANIES = '0';

// The settings end with the transaction. Policies read the company, the audit trigger reads the other settings.
const COMPANY_SETTINGS = { name: 'settings.company', text: `select set_config('app.company', $1, true)` };
const PRINCIPAL_SETTINGS = {
  name: 'settings.principal',
  text: `select set_config('app.company', $1, true), set_config('app.user', $2, true), set_config('app.key', $3, true),
    set_config('app.request', $4, true)`,
};

/** Binds a statement to its values and to the settings of its transaction: the company, and for writes the principal. */
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
