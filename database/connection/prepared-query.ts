import type { ClientBase, Connection, FieldDef, Submittable } from 'pg';
import type { BoundStatement, SqlCommand } from '../../entities/statements/define-statement.ts';
import { BEHIND, QUERY_TIMEOUT } from '../errors.ts';

/** Interval of checks for expired deadlines. */
const CHECK_INTERVAL_MS = 50;

/** A query that must end in time. */
interface Deadline {
  /** A value of `performance.now()`. */
  readonly expiresAt: number;
  /** Index in the list of tracked deadlines; -1 if not tracked. */
  index: number;
  /** Called once, if the deadline expires. */
  onTimeout(): void;
}

const tracked: Deadline[] = [];
let timer: NodeJS.Timeout | undefined;

/**
 * Times out a query, up to `CHECK_INTERVAL_MS` late. All queries share one interval: a timer for each would cost more than
 * sending the statement, and would retain its closure until the next major garbage collection (bench/README.md).
 */
function trackDeadline(deadline: Deadline): void {
  deadline.index = tracked.push(deadline) - 1;
  timer ??= setInterval(expireDeadlines, CHECK_INTERVAL_MS).unref();
}

/** Stops tracking a query that has ended. @returns true if it was tracked */
function clearDeadline(deadline: Deadline): boolean {
  const { index } = deadline;
  if (index < 0) return false;
  deadline.index = -1;
  const last = tracked.pop();
  if (last !== undefined && last !== deadline) {
    tracked[index] = last;
    last.index = index;
  }
  return true;
}

function expireDeadlines(): void {
  const now = performance.now();
  for (const deadline of tracked.filter(({ expiresAt }) => expiresAt <= now))
    if (clearDeadline(deadline)) deadline.onTimeout();
  if (tracked.length > 0) return;
  clearInterval(timer);
  timer = undefined;
}

export type Row = Record<string, unknown>;
type ParseText = ReturnType<ClientBase['getTypeParser']>;
export interface QueryResult {
  rows: Row[];
}

/** Called once, with an error or with the rows of each statement. */
export type QueryCallback = (error: Error | null, results?: readonly Row[][]) => void;

/** Columns of a result. PostgreSQL describes them once, when a connection prepares the statement. */
type Columns = readonly { name: string; parse: ParseText }[];

interface PreparedStatement {
  text: string;
  columns: Columns;
}

/** Prepared statements of each connection, by name. */
const preparedStatements = new WeakMap<Connection, Map<string, PreparedStatement>>();

const NO_STATEMENTS = new Map<string, PreparedStatement>();

/**
 * Runs prepared statements in one transaction, each preceded by its session settings. All commands are sent in one write before
 * a single Sync, so PostgreSQL runs them as one transaction. Unlike pg's own query, it describes the result once per
 * connection instead of in each run (bench/README.md).
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class PreparedQuery implements Submittable, Deadline {
  readonly expiresAt: number;
  index = -1;
  readonly #callback: QueryCallback;
  readonly #client: ClientBase;
  readonly #boundStatements: readonly BoundStatement[];
  readonly #commands: readonly SqlCommand[];
  /** Number of completed commands, and so the index of the current one. */
  #completed = 0;
  readonly #results: Row[][] = [];
  #rows: Row[] = [];
  /** True if the current command is a statement, false if it sets session settings. */
  #isStatement = false;
  #columns: Columns = [];
  #prepared = NO_STATEMENTS;
  #error: Error | null = null;

  constructor(client: ClientBase, statements: readonly BoundStatement[], deadline: number, callback: QueryCallback) {
    this.#client = client;
    this.#boundStatements = statements;
    this.#commands = statements.flatMap((bound) => (bound.settings === undefined ? bound : [bound.settings, bound]));
    this.expiresAt = deadline;
    this.#callback = callback;
    trackDeadline(this);
  }

  submit(connection: Connection): Error | null {
    this.#prepared = preparedStatements.get(connection) ?? new Map<string, PreparedStatement>();
    preparedStatements.set(connection, this.#prepared);
    for (const { name, text } of this.#commands) {
      const prepared = this.#prepared.get(name);
      if (prepared !== undefined && prepared.text !== text)
        return new Error(`${name}: expected the same text for each statement of this name`);
    }
    const sent = new Set<string>();
    connection.stream.cork();
    for (const { name, text, values } of this.#commands) {
      if (!this.#prepared.has(name) && !sent.has(name)) {
        sent.add(name);
        // A failed run may have left a statement of this name.
        connection.close({ type: 'S', name }, false);
        connection.parse({ name, text, types: [] }, false);
        connection.describe({ type: 'S', name }, false);
      }
      connection.bind({ statement: name, values: values.map(encodeParameter) }, false);
      connection.execute({}, false);
    }
    connection.sync();
    connection.stream.uncork();
    this.#startNext();
    return null;
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- PostgreSQL has more type ids than pg lists
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (!this.#isStatement) {
      const check = this.#boundStatements[this.#results.length]?.check;
      if (check !== undefined && fields[check] !== 't') this.#error = new Error(BEHIND);
      return;
    }
    const row: Row = {};
    try {
      let index = 0;
      for (const { name, parse } of this.#columns) {
        const text = fields[index++] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error('result: a value could not be parsed', { cause: error });
    }
  }

  handleCommandComplete(): void {
    const command = this.#commands[this.#completed];
    if (command === undefined) return;
    if (!this.#prepared.has(command.name))
      this.#prepared.set(command.name, { text: command.text, columns: this.#columns });
    if (this.#isStatement) this.#results.push(this.#rows);
    this.#completed += 1;
    this.#startNext();
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.#finish(this.#error, this.#results);
  }

  handleError(error: Error): void {
    const command = this.#commands[this.#completed];
    if (command !== undefined) this.#prepared.delete(command.name); // the cached plan may be invalid
    this.#finish(error);
  }

  onTimeout(): void {
    this.#callback(new Error(QUERY_TIMEOUT));
  }

  #finish(...result: Parameters<QueryCallback>): void {
    if (clearDeadline(this)) this.#callback(...result);
  }

  #startNext(): void {
    const command = this.#commands[this.#completed];
    if (command === undefined) return;
    this.#isStatement = command === this.#boundStatements[this.#results.length];
    if (this.#isStatement) this.#rows = [];
    this.#columns = this.#prepared.get(command.name)?.columns ?? [];
  }
}

/** Query for `client.query` of pg that ends by the deadline. The timeout is at least 1, because pg treats 0 as no timeout. */
export function queryWithTimeout(text: string, deadline: number, values?: unknown[]) {
  const timeout = Math.max(1, deadline - performance.now());
  return { text, ...(values !== undefined && { values }), query_timeout: timeout };
}

/** Encodes a parameter for PostgreSQL: as text, or as bytes for bytea. */
function encodeParameter(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value);
}

function encodeElement(value: unknown): string {
  const text = encodeParameter(value);
  if (text === null) return 'NULL';
  if (Array.isArray(value)) return String(text);
  return `"${String(text).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
