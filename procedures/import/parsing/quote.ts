import { redactSecrets } from '../../../entities/api-key/raw-key.ts';
import { oneLine } from '../../core/errors.ts';

/** Maximum number of characters of a value in a message. */
const MAX_QUOTED_LENGTH = 100;

/** Quotes a value from a file in a message: text in quotes, other values as JSON, both in one line, and cut. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A cut before the redaction would hide a part of a secret from it. The first cut bounds the work.
  const safe = redactSecrets(text.slice(0, 10 * MAX_QUOTED_LENGTH));
  const shown = oneLine(safe, MAX_QUOTED_LENGTH) + (safe.length > MAX_QUOTED_LENGTH ? '…' : '');
  return typeof value === 'string' ? `"${shown}"` : shown;
}
