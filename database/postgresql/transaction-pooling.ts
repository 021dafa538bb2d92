import { hash } from 'node:crypto';
import type { BoundStatement, SqlCommand } from '../../entities/statements/define-statement.ts';

/** Settings that each transaction sets locally. Behind a pooler, session settings would leak to other clients. */
export type TransactionSettings = Readonly<Record<string, string | number>>;

const NO_SETTINGS: SqlCommand = { name: 'settings.none', text: 'select', values: [] };

/**
 * Adapts statements to a transaction pooler, which may run each transaction on another server connection.
 * Session settings precede each statement in the same round trip. Statement names are hashes of the text, because clients
 * share server connections: equal names must mean equal statements.
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
