import type { ClientBase, Connection, FieldDef, Submittable } from 'pg';
import { clearDeadline, trackDeadline } from './query-deadlines.ts';
import type { Deadline } from './query-deadlines.ts';
import { BEHIND, QUERY_TIMEOUT } from '../errors.ts';
import type { BoundStatement, SqlCommand } from '../../entities/statements/define-statement.ts';
import { encodeParameter } from './encode-parameter.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

export type Row = Record<string, unknown>;
type ParseText = ReturnType<ClientBase['getTypeParser']>;
/** What the run of a statement gives. */
export interface QueryResult {
  rows: Row[];
}

/** Called once, with the rows of each statement or with why there are none. */
export type QueryCallback = (error: Error | null, results?: readonly Row[][]) => void;

/** What a statement gives: asked of PostgreSQL when it is prepared, and not again for each of its rows or runs. */
type Columns = readonly { name: string; parse: ParseText }[];

interface PreparedStatement {
  text: string;
  columns: Columns;
}

/** The statements that a connection has prepared, by name. */
const preparedStatements = new WeakMap<Connection, Map<string, PreparedStatement>>();

const NO_STATEMENTS = new Map<string, PreparedStatement>();

/**
 * A run of statements in one transaction: each is prepared once on a connection under its name, and has in front of it what
 * the transaction is told. All of it goes out at once, and what stands between two syncs is one transaction. pg's own query
 * asks for a description of the rows and works out how to read them each time, which is a fifth of what a short query costs
 * this process (docs/performance.md). pg runs whatever has these methods.
 */
export class PreparedQuery implements Submittable, Deadline {
  readonly expiresAt: number;
  index = -1;
  readonly #callback: QueryCallback;
  readonly #client: ClientBase;
  readonly #boundStatements: readonly BoundStatement[];
  readonly #commands: readonly SqlCommand[];
  /** How many parts were answered: the next is being answered. */
  #completed = 0;
  readonly #results: Row[][] = [];
  #rows: Row[] = [];
  /** Whether it is a statement that is being answered, and not what it is told. */
  #isStatement = false;
  #columns: Columns = [];
  #prepared = NO_STATEMENTS;
  #error: Error | null = null;

  constructor(client: ClientBase, statements: readonly BoundStatement[], deadline: number, callback: QueryCallback) {
    this.#client = client;
    this.#boundStatements = statements;
    this.#commands = statements.flatMap((bound) => (bound.settings === undefined ? bound : [bound.settings, bound]));
    this.expiresAt = performance.now() + timeLeftMs(deadline);
    this.#callback = callback;
    trackDeadline(this);
  }

  submit(connection: Connection): Error | null {
    this.#prepared = preparedStatements.get(connection) ?? new Map<string, PreparedStatement>();
    preparedStatements.set(connection, this.#prepared);
    for (const { name, text } of this.#commands) {
      const prepared = this.#prepared.get(name);
      if (prepared !== undefined && prepared.text !== text) return new Error(`${name} names two statements`);
    }
    const sent = new Set<string>();
    connection.stream.cork();
    for (const { name, text, values } of this.#commands) {
      if (!this.#prepared.has(name) && !sent.has(name)) {
        sent.add(name);
        // It may be there from a run that failed.
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
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the ids of types are PostgreSQL's, not those that pg lists
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
      this.#error = error instanceof Error ? error : new Error('A value could not be read', { cause: error });
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
    if (command !== undefined) this.#prepared.delete(command.name); // among other faults, it may be the plan that is no longer right
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

/** Milliseconds to wait for an answer: never none, which pg takes for as long as it likes. */
const timeLeftMs = (deadline: number): number => Math.max(1, Math.min(TIMEOUTS_MS.query, deadline - performance.now()));

/** A statement that pg itself runs, for no longer than that. */
export function queryWithTimeout(text: string, deadline: number, values?: unknown[]) {
  return { text, ...(values !== undefined && { values }), query_timeout: timeLeftMs(deadline) };
}
