import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { SCOPES } from '../scope.ts';
import type { Scope } from '../scope.ts';
import { OPERATOR } from '../user.ts';
import type { Actor } from '../user.ts';
import type { Database } from './database.ts';
import { cursorSecret } from './secret.ts';
import type { Statement } from './statement.ts';

/** On whose behalf rows are read and written: yielded by authentication, never by a request's path or body. */
export interface Principal {
  company: number;
  user: Actor;
  /** uniqueId of the API key used, or null. */
  key: string | null;
  scopes: readonly Scope[];
  /** Frameworks it is limited to; null for all of the company. */
  frameworks: readonly number[] | null;
  /** Ranges of addresses it is limited to; null for all. */
  cidrs: readonly string[] | null;
}

/** The operator's principal in a company: no key, and so nothing that limits it. */
export const operatorOf = (company: number): Principal => ({
  company,
  user: OPERATOR,
  key: null,
  scopes: SCOPES,
  frameworks: null,
  cidrs: null,
});

/**
 * One request at the database, for its principal: the only way from a procedure to a company's rows.
 * Without a principal nothing of a company can be read through entities, and nothing audited can be written.
 */
export class Session<P extends Principal | null = Principal> {
  readonly principal: P;
  readonly #database: Database;
  readonly #requestId: string;

  constructor(database: Database, principal: P, requestId: string) {
    this.#database = database;
    this.principal = principal;
    this.#requestId = requestId;
  }

  hasPrincipal(): this is Session {
    return this.principal !== null;
  }

  /** Runs a statement as the principal, in a transaction of its own: one round trip. */
  run<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    return this.#database.run(statement, input, {
      company: this.principal?.company ?? null,
      user: this.principal?.user.uniqueId ?? null,
      key: this.principal?.key ?? null,
      request: this.#requestId,
    });
  }

  /** The first row, where there may be none. */
  async first<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | undefined> {
    return (await this.run(statement, input))[0];
  }

  /** The row of a statement that always gives one. */
  async only<Input extends object, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row> {
    const row = await this.first(statement, input);
    if (row === undefined) throw new Error(`${statement.name} gave no row`);
    return row;
  }

  /** To be called when a change of an API key is committed: from then on this process knows it as it is. */
  keysChanged(): void {
    this.#database.keys.forget();
  }

  /** Signs cursors, in every process on this database alike. */
  cursorSecret(): Promise<Buffer> {
    return cursorSecret(this.#database);
  }

  /** A unit of work, for what is not on a hot path: filtered to the principal's company, attributed to its user. */
  unitOfWork(): SqlEntityManager {
    const em = this.#database.entityManager();
    if (this.principal === null) return em;
    const { company, user, key } = this.principal;
    em.setFilterParams('company', { company });
    em.setSessionContext({
      variables: {
        'app.company': company,
        'app.user': user.uniqueId,
        'app.key': key ?? '',
        'app.request': this.#requestId,
      },
    });
    return em;
  }
}
