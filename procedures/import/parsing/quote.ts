import { oneLine } from '../../core/errors.ts';

/** Maximum number of characters of a value in a message. */
const MAX_QUOTED_LENGTH = 100;

/** Quotes a value from a file in a message: text in quotes, other values as JSON, both in one line, and cut. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const start = oneLine(text.slice(0, MAX_QUOTED_LENGTH), MAX_QUOTED_LENGTH);
  const shown = text.length > MAX_QUOTED_LENGTH ? `${start}…` : start;
  return typeof value === 'string' ? `"${shown}"` : shown;
}
