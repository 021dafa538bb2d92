/** Words that the code and the docs do not use, each with what to write instead. CONTRIBUTING.md has the glossary. */
const FORBIDDEN_WORDS: readonly [pattern: string, instead: string][] = [
  ['refus(?:e|es|ed|al|als|ing)', 'reject, error'],
  ['answer(?:s|ed|ing)?', 'response, respond, return'],
  ['repl(?:y|ies|ied|ying)', 'response, respond'],
  ['trails?', 'audit log'],
  ['told|untold', 'an active verb with its actor'],
  ['tells? (?:who|what|how|why|of|whether|when|where)', 'shows, names, describes'],
  ['(?:is|are|was|were) asked', 'an active verb with its actor'],
  ['who asks', 'client, caller'],
  ['who(?:m)?ever', 'a noun, such as "the client"'],
  ['heed(?:s|ed|ing)?', 'respect, read'],
  ['mend(?:s|ed|ing)?', 'fix, correct'],
  ['of which', 'two sentences'],
  ['in vain', 'until the timeout'],
  ['as ever', 'as before'],
  ['by nobody', 'the name of the role'],
  ['so many', 'a number, or N'],
  ['what came of', 'the result of'],
  ['(?:stands?|stood) (?:for|before|behind|in)', 'represents, precedes, follows, is in'],
  ['(?<!there )(?:is|are|was|were) no(?= )(?! longer)', 'is not, has no'],
  ['(?:go|goes|going|went|gone) on', 'continue'],
  ['shall', 'must'],
  ['wishes', 'request headers, preconditions, options'],
  ['gathered', 'batch'],
  ['patience', 'timeout'],
  ['walls?', 'tenant isolation, row-level security'],
  [String.raw`(?<!time[\s*/-]{1,9})stamps?`, 'change metadata'],
  ['farewell', 'shutdown'],
  ['for good|for ever', 'permanently'],
];

/** White space, also the end of a line of a comment. */
const GAP = String.raw`[\s*/]+`;
const words = new RegExp(
  String.raw`\b(?:${FORBIDDEN_WORDS.map(([pattern]) => `(${pattern.replaceAll(' ', GAP)})`).join('|')})\b`,
  'gi',
);
/** Names of the command line, and the text of ECONNREFUSED, that contain a forbidden word and may not change. */
const CONTRACT_NAMES = /\btrails\b|--any-trail|connection refused|'-reply'|timestamp-reply/g;

/** The forbidden words of a text, with their positions and what to write instead. */
export const forbiddenWordsIn = (text: string) =>
  [...text.replaceAll(CONTRACT_NAMES, (name) => ' '.repeat(name.length)).matchAll(words)].map((match) => ({
    index: match.index,
    word: match[0],
    instead: FORBIDDEN_WORDS[match.slice(1).findIndex((group) => group !== undefined)]?.[1],
  }));
