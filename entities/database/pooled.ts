import { hash } from 'node:crypto';
import type { Bound, Part } from './statement.ts';

/** Settings of a transaction and of nothing beyond it: behind a pooler the next transaction is somebody else's. */
export type Told = Readonly<Record<string, string | number>>;

const ALONE: Part = { name: 'tell.nothing', text: 'select', values: [] };

/**
 * Makes statements such that they can run behind a pooler, which gives each transaction another connection to PostgreSQL:
 * what a connection of our own would be told at its start is told in front of each, in the same round trip; and names are
 * made of the text, as whoever else prepared a statement of this name must have meant the same.
 */
export function pooled(told: Told): { bound: (bound: Bound) => Bound; begin: (text: string) => string } {
  const settings = Object.entries(told)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');

  function tell(part: Part): Part {
    const text = `${part.text}${part === ALONE ? ' ' : ', '}${settings}`;
    return { name: nameOf(text), text, values: part.values };
  }

  return {
    bound: ({ told: before = ALONE, ...bound }) => ({
      ...bound,
      name: nameOf(bound.text),
      told: tell(before),
    }),
    begin: (text) => `${text}; select ${settings}`,
  };
}

const nameOf = (text: string) => hash('sha256', text).slice(0, 40);
