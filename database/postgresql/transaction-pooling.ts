import { randomUUID } from 'node:crypto';
import type { BoundStatement } from '../../entities/statements/define-statement.ts';

/** Settings that each transaction sets locally. Behind a pooler, session settings would leak to other clients. */
export type TransactionSettings = Readonly<Record<string, string | number>>;

/**
 * Adapts statements to a pooler that gives each transaction another connection to PostgreSQL. Settings that a connection
 * of our own gets at its start are set in front of each statement, in the same round trip.
 */
export function transactionPooling(transactionSettings: TransactionSettings): {
  bound: (bound: BoundStatement) => BoundStatement;
  begin: (text: string) => string;
} {
  const setConfigCalls = Object.entries(transactionSettings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');
  const onlyTransactionSettings = { name: 'settings.transaction', text: `select ${setConfigCalls}`, values: [] };
  return {
    bound: ({ settings, ...bound }) => ({
      ...bound,
      settings:
        settings === undefined ? onlyTransactionSettings : { ...settings, text: `${settings.text}, ${setConfigCalls}` },
    }),
    begin: (text) => `${text}; select ${setConfigCalls}`,
  };
}

/**
 * Tells if PostgreSQL has this statement under the name that the client gave it. PgBouncer prepares statements under names
 * of its own if it tracks them. The name is new each time, as untracked statements stay on PgBouncer's connections.
 * https://www.pgbouncer.org/config.html#max_prepared_statements
 */
export function untrackedStatement(): BoundStatement {
  const name = `pooler.${randomUUID()}`;
  return { name, text: 'select from pg_prepared_statements where name = $1', values: [name] };
}
