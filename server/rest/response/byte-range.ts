import type { ByteRange } from '../../../procedures/core/storage.ts';

const RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

/**
 * Reads the range that a client wants of a content. Several ranges, other units and malformed ranges are ignored, as RFC 9110
 * allows: https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 * @returns undefined for the whole content; 'unsatisfiable' for a range beyond its end
 */
export function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = RANGE.exec(header);
  if (match === null || size === 0) return undefined;
  const [, first, last = '', suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? Infinity : Number(last);
  if (end < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}
