import type { EditorState } from '@tiptap/pm/state';
import type { Mentionable } from '../html-text.tsx';

/** An `@` with the beginning of a name before the cursor. */
export interface MentionQuery {
  /** Lower case. */
  text: string;
  /** Position of the `@`. */
  from: number;
  to: number;
}

/** An `@` after white space or a bracket, and up to two words. */
const PATTERN = /(?:^|[\s(])@([\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?)$/u;
/** Character that has the place of a line break. */
const POINT = '\n';

/** The words that the person types after an `@`; undefined elsewhere. */
export function mentionQuery({ selection }: EditorState): MentionQuery | undefined {
  const { $from, empty, from } = selection;
  if (!empty || !$from.parent.isTextblock) return undefined;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, POINT);
  const text = PATTERN.exec(before)?.[1];
  return text === undefined ? undefined : { text: text.toLowerCase(), from: from - text.length - 1, to: from };
}

const MAX_SHOWN = 8;

/** The people whose name, a word of it, or email begins with a text. */
export const matchesOf = (people: readonly Mentionable[], text: string): readonly Mentionable[] =>
  people
    .filter(({ name, email }) => {
      const lower = name.toLowerCase();
      return [lower, email.toLowerCase()].some((one) => one.startsWith(text)) || lower.includes(` ${text}`);
    })
    .slice(0, MAX_SHOWN);
