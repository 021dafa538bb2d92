import { DatabaseError } from 'pg';
import type { ClientBase } from 'pg';
import type { Connections, Terms } from './connections.ts';
import { isAnswer } from './failure.ts';
import { Prepared, forgetPrepared } from './prepared.ts';
import type { Ended, Row, Rows } from './prepared.ts';
import type { Bound } from './statement.ts';

/** What PostgreSQL says of a name under which a connection has prepared nothing. */
const UNKNOWN_NAME = '26000';

/** Runs a statement on a connection that is held. */
export function runPreparedOn(client: ClientBase, bound: Bound, until: number): Promise<Rows> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows>();
  const ended: Ended = (error, [rows = []] = []) => (error === null ? resolve({ rows }) : reject(error));
  client.query(new Prepared(client, [bound], until, ended));
  return promise;
}

/** Runs a statement on a connection of its own. */
export async function runPrepared(connections: Connections, bound: Bound, terms: Terms): Promise<Rows> {
  const [rows = []] = await runTogether(connections, [bound], terms);
  return { rows };
}

/** Runs statements in one transaction, on a connection of its own. One that may be broken is not used again. */
export function runTogether(
  connections: Connections,
  bounds: readonly Bound[],
  terms: Terms,
): Promise<readonly Row[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Row[][]>();
  connections.take(terms, (held) => {
    if (held instanceof Error) {
      reject(held);
      return;
    }
    const { client } = held;
    let isAgain = false;
    const ended: Ended = (error, results = []) => {
      if (!isAgain && error instanceof DatabaseError && error.code === UNKNOWN_NAME) {
        // A pooler has put another connection behind this one, and nothing was carried out.
        isAgain = true;
        forgetPrepared(client);
        client.query(new Prepared(client, bounds, terms.until, ended));
        return;
      }
      held.giveBack(error === null || isAnswer(error) ? undefined : error);
      if (error === null) resolve(results);
      else reject(error);
    };
    client.query(new Prepared(client, bounds, terms.until, ended));
  });
  return promise;
}
