import { hash } from 'node:crypto';
import type { BoundStatement, SqlCommand } from '../../entities/statements/define-statement.ts';

/** Settings of a transaction and of nothing beyond it: behind a pooler the next transaction is somebody else's. */
export type TransactionSettings = Readonly<Record<string, string | number>>;

const NO_SETTINGS: SqlCommand = { name: 'settings.none', text: 'select', values: [] };

/**
 * Makes statements such that they can run behind a pooler, which gives each transaction another connection to PostgreSQL:
 * what a connection of our own would be told at its start is told in front of each, in the same round trip; and names are
 * made of the text, as whoever else prepared a statement of this name must have meant the same.
 */
export function transactionPooling(transactionSettings: TransactionSettings): {
  bound: (bound: BoundStatement) => BoundStatement;
  begin: (text: string) => string;
} {
  const setConfigCalls = Object.entries(transactionSettings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');

  function withSettings(command: SqlCommand): SqlCommand {
    const text = `${command.text}${command === NO_SETTINGS ? ' ' : ', '}${setConfigCalls}`;
    return { name: statementName(text), text, values: command.values };
  }

  return {
    bound: ({ settings = NO_SETTINGS, ...bound }) => ({
      ...bound,
      name: statementName(bound.text),
      settings: withSettings(settings),
    }),
    begin: (text) => `${text}; select ${setConfigCalls}`,
  };
}

const statementName = (text: string) => hash('sha256', text).slice(0, 40);
