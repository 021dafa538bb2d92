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
  const settings = Object.entries(told).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  const telling = new Map<string, Part>();

  function tell(part: Part): Part {
    const known = telling.get(part.name);
    if (known !== undefined) return known;
    const text = `${part.text}${part === ALONE ? ' ' : ', '}${settings.join(', ')}`;
    const named = { name: nameOf(text), text, values: [] };
    telling.set(part.name, named);
    return named;
  }

  return {
    bound: ({ told: before = ALONE, ...bound }) => ({
      ...bound,
      name: nameOf(bound.text),
      told: { ...tell(before), values: before.values },
    }),
    begin: (text) => `${text}; select ${settings.join(', ')}`,
  };
}

const names = new Map<string, string>();

/** Statements are few, and each has one text. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = hash('sha256', text).slice(0, 40);
  names.set(text, name);
  return name;
}
