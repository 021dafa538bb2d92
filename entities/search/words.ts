/** Letters that have an accent for readers, although Unicode does not decompose them. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ß: 'ss',
  þ: 'th',
  ς: 'σ',
};
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');

/** Scripts without spaces between words. Each character is a word, so that a part of a sentence is found. */
const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CHARACTER = `[${UNSPACED_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}]`;
const UNSPACED = new RegExp(UNSPACED_CHARACTER, 'gu');
/** Characters that may stand between the words of a run. */
const JOINT = String.raw`[\-._@\/:+&#\u2010-\u2014]{1,3}`;

/**
 * A run of words without a space between them: a ref, an email address, a host, a number with a point. Quotes, brackets and commas
 * separate words.
 */
const RUN = new RegExp(String.raw`[\p{L}\p{N}]+(?:${JOINT}[\p{L}\p{N}]+)*`, 'gu');
const NO_WORD = /[^\p{L}\p{N}]+/gu;

/** Maximum length of a word in the index, in characters. Longer words are found by their beginning. */
const MAX_WORD_LENGTH = 40;
/** Maximum number of bytes of the words of a document: a `tsvector` has at most 1 MiB. */
const MAX_DOCUMENT_BYTES = 400_000;

const ASCII = /^[\x20-\x7e\s]*$/;

/** Letters and digits as comparisons see them: without accents and case. */
const fold = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replaceAll(/\p{M}+/gu, '')
        .toLowerCase()
        .replaceAll(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
        .replaceAll(UNSPACED, ' $& ');

/** The beginning of a word, without half a character at its end. */
const cut = (word: string) => word.slice(0, MAX_WORD_LENGTH).replace(/[\uD800-\uDBFF]$/, '');

/** Each run of a text as its words: `A.5.9` is `['a', '5', '9']`. */
const runsOf = (text: string): string[][] => (fold(text).match(RUN) ?? []).map((run) => run.split(NO_WORD));

/**
 * The words of a text in the index. Those of a run are there with what follows them: `a.5.9`, `5.9`, `9`. So each is found by its
 * beginning, alone and together with the next ones.
 */
export function* wordsOf(text: string): Generator<string> {
  for (const run of runsOf(text)) for (const [start] of run.entries()) yield cut(run.slice(start).join('.'));
}

/** The words that a search looks for. */
export interface Wanted {
  /** Each run as one word. */
  runs: string[];
  /** The words of the runs; null if no run has several. */
  words: string[] | null;
}

/** Leaves out words that are the beginning of another one, because that one finds them. */
const withoutBeginnings = (words: readonly string[]) => {
  const unique = [...new Set(words)];
  return unique.filter((word) => !unique.some((other) => other !== word && other.startsWith(word)));
};

/** The words of a query. */
export function wantedOf(query: string): Wanted {
  const runs = runsOf(query);
  return {
    runs: withoutBeginnings(runs.map((run) => cut(run.join('.')))),
    words: runs.some((run) => run.length > 1) ? withoutBeginnings(runs.flat().map(cut)) : null,
  };
}

/** A run in a text as people wrote it, with accents. */
const WRITTEN = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CHARACTER}]+`;
const WRITTEN_RUN = new RegExp(`${UNSPACED_CHARACTER}|${WRITTEN}(?:${JOINT}${WRITTEN})*`, 'gv');

/** The wanted words that a text has, each with the place of the first run that has it. */
export function findWords(text: string, words: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { 0: run, index } of text.matchAll(WRITTEN_RUN)) {
    for (const word of wordsOf(run))
      for (const wanted of words) if (!found.has(wanted) && word.startsWith(wanted)) found.set(wanted, index);
    if (found.size === words.length) break;
  }
  return found;
}

/** Texts of a document: those that weigh more, and the others. */
export interface DocumentTexts {
  titles: readonly string[];
  texts: readonly string[];
}

/**
 * The words of a document as the text of a `tsvector`. Each begins with the company, so that the index reads words of no other one.
 * @param framework of the document, which is a word that no text has
 */
export function toVector(company: number, framework: number, { titles, texts }: DocumentTexts): string {
  const vector = [`'${company} #${framework}':1D`];
  const seen = new Set<string>();
  let bytes = 0;
  for (const [weight, given] of [
    ['A', titles],
    ['D', texts],
  ] as const)
    for (const text of given)
      for (const word of wordsOf(text)) {
        if (bytes > MAX_DOCUMENT_BYTES) return vector.join(' ');
        if (seen.has(word)) continue;
        seen.add(word);
        vector.push(`'${company} ${word}':1${weight}`);
        bytes += Buffer.byteLength(word) + 20;
      }
  return vector.join(' ');
}
