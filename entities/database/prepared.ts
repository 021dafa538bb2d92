import type { ClientBase, Connection, FieldDef, PoolClient, Submittable } from 'pg';
import { unwatchDue, watchDue } from './deadlines.ts';
import type { Due } from './deadlines.ts';
import { BEHIND, SILENCE } from './failure.ts';
import type { Bound, Part } from './statement.ts';
import { textOf } from './text.ts';
import { TIMEOUTS } from './timeouts.ts';

export type Row = Record<string, unknown>;
type Parse = ReturnType<ClientBase['getTypeParser']>;
/** What the run of a statement gives. */
export interface Rows {
  rows: Row[];
}

/** Called once, with the rows of each statement or with why there are none. */
export type Ended = (error: Error | null, results?: readonly Row[][]) => void;

/** What a statement gives: asked of PostgreSQL when it is prepared, and not again for each of its rows or runs. */
type Columns = readonly { name: string; parse: Parse }[];

interface Known {
  text: string;
  columns: Columns;
}

/** The statements that a connection has prepared, by name. */
const preparedOn = new WeakMap<Connection, Map<string, Known>>();

const NONE = new Map<string, Known>();

/**
 * A run of statements in one transaction: each is prepared once on a connection under its name, and has in front of it what
 * the transaction is told. All of it goes out at once, and what stands between two syncs is one transaction. pg's own query
 * asks for a description of the rows and works out how to read them each time, which is a fifth of what a short query costs
 * this process (docs/performance.md). pg runs whatever has these methods.
 */
export class Prepared implements Submittable, Due {
  readonly until: number;
  place = -1;
  readonly #ended: Ended;
  readonly #client: ClientBase;
  readonly #bounds: readonly Bound[];
  readonly #parts: readonly Part[];
  /** How many parts were answered: the next is being answered. */
  #answered = 0;
  readonly #results: Row[][] = [];
  #rows: Row[] = [];
  /** Whether it is a statement that is being answered, and not what it is told. */
  #isAsked = false;
  #columns: Columns = [];
  #statements = NONE;
  #failure: Error | null = null;

  constructor(client: ClientBase, bounds: readonly Bound[], until: number, ended: Ended) {
    this.#client = client;
    this.#bounds = bounds;
    this.#parts = bounds.flatMap((bound) => (bound.told === undefined ? bound : [bound.told, bound]));
    this.until = performance.now() + timeLeft(until);
    this.#ended = ended;
    watchDue(this);
  }

  submit(connection: Connection): Error | null {
    this.#statements = preparedOn.get(connection) ?? new Map<string, Known>();
    preparedOn.set(connection, this.#statements);
    for (const { name, text } of this.#parts) {
      const known = this.#statements.get(name);
      if (known !== undefined && known.text !== text) return new Error(`${name} names two statements`);
    }
    const sent = new Set<string>();
    connection.stream.cork();
    for (const { name, text, values } of this.#parts) {
      if (!this.#statements.has(name) && !sent.has(name)) {
        sent.add(name);
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
    this.#begin();
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
    if (!this.#isAsked) {
      const check = this.#bounds[this.#results.length]?.check;
      if (check !== undefined && fields[check] !== 't') this.#failure = new Error(BEHIND);
      return;
    }
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
    const part = this.#parts[this.#answered];
    if (part === undefined) return;
    if (!this.#statements.has(part.name)) this.#statements.set(part.name, { text: part.text, columns: this.#columns });
    if (this.#isAsked) this.#results.push(this.#rows);
    this.#answered += 1;
    this.#begin();
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.#end(this.#failure, this.#results);
  }

  handleError(error: Error): void {
    const part = this.#parts[this.#answered];
    if (part !== undefined) this.#statements.delete(part.name); // among other faults, it may be the plan that is no longer right
    this.#end(error);
  }

  late(): void {
    this.#ended(new Error(SILENCE));
  }

  #end(...ended: Parameters<Ended>): void {
    if (unwatchDue(this)) this.#ended(...ended);
  }

  #begin(): void {
    const part = this.#parts[this.#answered];
    if (part === undefined) return;
    this.#isAsked = part === this.#bounds[this.#results.length];
    if (this.#isAsked) this.#rows = [];
    this.#columns = this.#statements.get(part.name)?.columns ?? [];
  }
}

/** Milliseconds to wait for an answer: never none, which pg takes for as long as it likes. */
const timeLeft = (until: number): number => Math.max(1, Math.min(TIMEOUTS.answer, until - performance.now()));

/** A statement that pg itself runs, for no longer than that. */
export function boundedQuery(text: string, until: number, values?: unknown[]) {
  return { text, ...(values !== undefined && { values }), query_timeout: timeLeft(until) };
}

/** Forgets what a connection has prepared: behind a pooler another may stand for it. */
export const forgetPrepared = (client: PoolClient): boolean => preparedOn.delete(client.connection);
