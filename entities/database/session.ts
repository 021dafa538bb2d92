import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../user.ts';
import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** On whose behalf rows are read and written: yielded by authentication, never by a request's path or body. */
export interface Principal {
  company: number;
  user: Actor;
  /** uniqueId of the API key used, or null. */
  key: string | null;
}

/** A principal at the database, for one request: the only way from a procedure to a company's rows. */
export class Session {
  readonly principal: Principal;
  readonly #database: Database;
  readonly #requestId: string;

  constructor(database: Database, principal: Principal, requestId: string) {
    this.#database = database;
    this.principal = principal;
    this.#requestId = requestId;
  }

  /** Runs a statement as the principal, in a transaction of its own: one round trip. */
  run<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    const { company, user, key } = this.principal;
    const session = { company, user: user.uniqueId, key, request: this.#requestId };
    return this.#database.query<Row>(statement.name, statement.text, statement.values(session, input));
  }

  /** The first row, where there may be none. */
  async first<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | undefined> {
    return (await this.run(statement, input))[0];
  }

  /** The row of a statement that always gives one. */
  async only<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row> {
    const row = await this.first(statement, input);
    if (row === undefined) throw new Error(`${statement.name} gave no row`);
    return row;
  }

  /** A unit of work as the principal, for what is not on a hot path: filtered to the company, attributed to the user. */
  unitOfWork(): SqlEntityManager {
    const { company, user, key } = this.principal;
    const em = this.#database.entityManager();
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
