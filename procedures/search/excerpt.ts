import { findWords } from '../../entities/search/words.ts';

/** Number of characters of an excerpt, and of those before the hit. */
export const EXCERPT_LENGTH = 200;
const BEFORE_HIT = 60;

/** The text around a place, in one line, from and to the end of a word. */
function around(text: string, place: number): string {
  const from = place <= BEFORE_HIT ? 0 : text.indexOf(' ', place - BEFORE_HIT) + 1;
  const start = from === 0 || from > place ? Math.min(place, Math.max(0, place - BEFORE_HIT)) : from;
  const cut = text.slice(start, start + EXCERPT_LENGTH - 2);
  const end = start + cut.length;
  const lastSpace = cut.lastIndexOf(' ');
  const shown = end === text.length || start + lastSpace <= place ? cut : cut.slice(0, lastSpace);
  // A surrogate without its pair is no text.
  const whole = shown
    .replace(/^[\uDC00-\uDFFF]/u, '')
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trim();
  return `${start > 0 ? '…' : ''}${whole}${start + shown.length < text.length ? '…' : ''}`;
}

const inOneLine = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();

/** The part of the text with the most words of the search around its first hit. @param texts those before others are preferred */
export function excerptOf(texts: readonly string[], words: readonly string[]): string {
  let best = { text: inOneLine(texts.find((text) => text !== '') ?? ''), place: 0, count: 0 };
  for (const given of texts) {
    const text = inOneLine(given);
    const found = findWords(text, words);
    if (found.size > best.count) best = { text, place: Math.min(...found.values()), count: found.size };
    if (best.count === words.length) break;
  }
  return around(best.text, best.place);
}
