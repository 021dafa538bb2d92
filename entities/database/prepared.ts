import { DatabaseError } from 'pg';
import type { ClientBase, Connection, FieldDef, PoolClient, Submittable } from 'pg';
import type { Connections, Terms } from './connections.ts';
import { isLost, isReadOnly } from './failure.ts';
import type { Bound, Part } from './statement.ts';
import { TIMEOUTS } from './timeouts.ts';

type Row = Record<string, unknown>;
type Parse = ReturnType<ClientBase['getTypeParser']>;
/** What the run of a statement gives. */
export interface Rows {
  rows: Row[];
}

/** Called once, with the rows or with why there are none. */
export type Ended = (error: Error | null, rows: Row[]) => void;

/** What a statement gives: asked of PostgreSQL when it is prepared, and not again for each of its rows or runs. */
type Columns = readonly { name: string; parse: Parse }[];

interface Known {
  text: string;
  columns: Columns;
}

/** The statements that a connection has prepared, by name. */
const preparedOn = new WeakMap<Connection, Map<string, Known>>();

/**
 * A run of a statement that a connection prepares once under its name, with what its transaction is told in front: all
 * of it goes out at once, and what stands between two syncs is one transaction. pg's own query asks for a description of
 * the rows and works out how to read them each time, which is a fifth of what a short query costs this process
 * (docs/performance.md). pg runs whatever has these methods.
 */
export class Prepared implements Submittable {
  /** pg puts its own in front, to end a wait. */
  callback: Ended;
  /** Milliseconds after which pg waits no longer. */
  readonly query_timeout: number;
  readonly #client: ClientBase;
  readonly #parts: readonly [Part, ...Part[]];
  /** The part that is being answered. */
  #part: Part;
  #answered = 0;
  #rows: Row[] = [];
  #columns: Columns = [];
  #statements = new Map<string, Known>();
  #failure: Error | null = null;

  constructor(client: ClientBase, bound: Bound, until: number, callback: Ended) {
    this.#client = client;
    this.#parts = bound.told === undefined ? [bound] : [bound.told, bound];
    this.#part = this.#parts[0];
    this.query_timeout = timeLeft(until);
    this.callback = callback;
  }

  submit(connection: Connection): Error | null {
    this.#statements = preparedOn.get(connection) ?? new Map<string, Known>();
    preparedOn.set(connection, this.#statements);
    for (const { name, text } of this.#parts) {
      const known = this.#statements.get(name);
      if (known !== undefined && known.text !== text) return new Error(`${name} names two statements`);
    }
    connection.stream.cork();
    for (const { name, text, values } of this.#parts) {
      if (!this.#statements.has(name)) {
        // It may be there from a run that failed.
        connection.close({ type: 'S', name }, false);
        connection.parse({ name, text, types: [] }, false);
        connection.describe({ type: 'S', name }, false);
      }
      connection.bind({ statement: name, values: values.map(textOf) }, false);
      connection.execute({}, false);
    }
    connection.sync();
    connection.stream.uncork();
    this.#columns = this.#statements.get(this.#part.name)?.columns ?? [];
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
    const row: Row = {};
    try {
      let at = 0;
      for (const { name, parse } of this.#columns) {
        const text = fields[at++] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error('A value could not be read', { cause: error });
    }
  }

  handleCommandComplete(): void {
    this.#statements.set(this.#part.name, { text: this.#part.text, columns: this.#columns });
    const next = this.#parts[(this.#answered += 1)];
    if (next === undefined) return;
    this.#part = next;
    this.#rows = [];
    this.#columns = this.#statements.get(next.name)?.columns ?? [];
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#failure, this.#rows);
  }

  handleError(error: Error): void {
    this.#statements.delete(this.#part.name); // among other faults, it may be the plan that is no longer right
    this.callback(error, []);
  }
}

/** Milliseconds to wait for an answer: never none, which pg takes for as long as it likes. */
const timeLeft = (until: number): number => Math.max(1, Math.min(TIMEOUTS.answer, until - performance.now()));

/** A statement that pg itself runs, for no longer than that. */
export function boundedQuery(text: string, until: number, values?: unknown[]) {
  return { text, ...(values !== undefined && { values }), query_timeout: timeLeft(until) };
}

/** What PostgreSQL says of a name under which a connection has prepared nothing. */
const UNKNOWN_NAME = '26000';

/** Forgets what a connection has prepared: behind a pooler another may stand for it. */
export const forgetPrepared = (client: PoolClient): boolean => preparedOn.delete(client.connection);

/** Runs a statement on a connection that is held. */
export function runPreparedOn(client: ClientBase, bound: Bound, until: number): Promise<Rows> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows>();
  const ended: Ended = (error, rows) => (error === null ? resolve({ rows }) : reject(error));
  client.query(new Prepared(client, bound, until, ended));
  return promise;
}

/** Runs a statement on a connection of its own. One that may be broken is not used again. */
export function runPrepared(connections: Connections, bound: Bound, terms: Terms): Promise<Rows> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows>();
  connections.take(terms, (held) => {
    if (held instanceof Error) {
      reject(held);
      return;
    }
    const { client } = held;
    let isAgain = false;
    const ended: Ended = (error, rows) => {
      if (!isAgain && error instanceof DatabaseError && error.code === UNKNOWN_NAME) {
        // A pooler has put another connection behind this one, and nothing was carried out.
        isAgain = true;
        forgetPrepared(client);
        client.query(new Prepared(client, bound, terms.until, ended));
        return;
      }
      held.giveBack(error === null || isAnswer(error) ? undefined : error);
      if (error === null) resolve({ rows });
      else reject(error);
    };
    client.query(new Prepared(client, bound, terms.until, ended));
  });
  return promise;
}

/** Whether PostgreSQL has answered with an error, and goes on; and not with one that another server might not give. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  !['FATAL', 'PANIC'].includes(error.severity ?? '') &&
  !isLost(error) &&
  !isReadOnly(error);

/** A value as PostgreSQL reads it: text, or the bytes of a bytea. */
function textOf(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value);
}

function elementOf(value: unknown): string {
  const text = textOf(value);
  if (text === null) return 'NULL';
  if (Array.isArray(value)) return String(text);
  return `"${String(text).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
