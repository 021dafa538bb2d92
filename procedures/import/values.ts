import { ApiError } from '../../entities/api-error.ts';
import type { Field, Word } from '../../entities/fields/kind.ts';
import { foldCase } from '../../entities/fold-case.ts';
import type { ImportDates } from '../../entities/import/import.ts';
import type { RowFields } from './parsing/file-table.ts';

// Values as people write them in files. Contract, section 29.

/** Fields of a kind by the name that requests have. */
export type FieldsByName = Readonly<Record<string, Pick<Field, 'refersTo' | 'words' | 'written'>>>;

/** A value of a row that cannot be used, for the message and for the person's answer to it. */
export class UnusableValue extends ApiError {
  readonly field: string;
  readonly value: string;

  constructor(field: string, value: string, expectation: string) {
    super('invalid_request', `${field}: expected ${expectation}`);
    this.field = field;
    this.value = value;
  }
}

/** Parts of a list: separated by semicolons if there are any, else by commas. */
export const splitList = (text: string): string[] =>
  text
    .split(text.includes(';') ? ';' : ',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const DATES = {
  dmy: /^(?<day>\d{1,2})([./])(?<month>\d{1,2})\2(?<year>\d{4}|\d{2})$/,
  mdy: /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}|\d{2})$/,
} as const satisfies Record<ImportDates, RegExp>;

/** A date as the API has it; undefined for another text. Whether the calendar has it is checked later. */
function readDate(text: string, dates: ImportDates | null): string | undefined {
  const [, day] = DATE.exec(text) ?? [];
  if (day !== undefined) return day;
  const parts = dates === null ? undefined : DATES[dates].exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { year = '', month = '', day: dayOfMonth = '' } = parts;
  return `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`;
}

/** A host name that contains a point, so that `none` is not a website. */
const HOST = /^[^\s/:@]+\.[^\s/:@]{2,}(?:[/:?#]|$)/;

const readUrl = (text: string) => (HOST.test(text) ? `https://${text}` : text);

/** A contact as an export for people writes it: `Ann (buyer) <ann@example.com> (Sales)`. */
const CONTACT = /^(?<name>[^<>]+?)(?: <(?<email>[^<>\s]+)>)?(?: \((?<role>[^()]+)\))?$/;

/** Contacts that are separated by semicolons; undefined for another text. */
function readContacts(text: string) {
  const contacts = text.split(';').map((part) => CONTACT.exec(part.trim())?.groups);
  if (contacts.some((contact) => contact === undefined)) return undefined;
  return contacts.map((contact) => ({
    name: contact?.['name'],
    email: contact?.['email'] ?? null,
    role: contact?.['role'] ?? null,
  }));
}

/** The form in which words are compared: "In progress", "in_progress" and "In-Progress" are equal. */
const keyOf = (word: string) => foldCase(word).replaceAll(/[\s_-]/g, '');

/** Words that mean the same in a file. */
const SAME_WORDS = new Map([
  ['critical', 'urgent'],
  ['urgent', 'critical'],
]);

function readWord(words: readonly Word[], text: string): string | number | undefined {
  const key = keyOf(text);
  const keys = new Set([key, SAME_WORDS.get(key)]);
  return words.find(([value, word]) => keys.has(keyOf(word)) || key === keyOf(String(value)))?.[0];
}

const DIGITS = /^\d+$/;

/** @throws UnusableValue for a word without a number */
function readLevel(field: string, words: readonly Word[], given: string): number | string {
  const text = given.trim();
  if (text === '' || DIGITS.test(text)) return given;
  const level = readWord(words, text);
  if (level !== undefined) return level;
  const [[min] = []] = words;
  const known = words.flatMap(([, word]) => {
    const key = keyOf(word);
    const other = SAME_WORDS.get(key);
    return other === undefined ? [key] : ['urgent', 'critical'];
  });
  const expectation = `an integer from ${min} to ${words.at(-1)?.[0]}, or one of ${known.join(', ')}`;
  throw new UnusableValue(field, text, expectation);
}

/** Reads a value of a field. Text that is not a value stays as it is, so that the schema says what is expected. @throws UnusableValue */
function readValue(name: string, { words, written }: FieldsByName[string], given: unknown, dates: ImportDates | null) {
  if (typeof given !== 'string') return given;
  const text = given.trim();
  if (words !== undefined)
    return typeof words[0]?.[0] === 'number' ? readLevel(name, words, given) : (readWord(words, text) ?? given);
  if (written === 'date') return readDate(text, dates) ?? given;
  if (written === 'url') return readUrl(text);
  if (written === 'list') return splitList(text);
  return written === 'contacts' && text !== '' ? (readContacts(text) ?? given) : given;
}

/** Reads the values of a row, except those that have to be looked up. @throws UnusableValue */
export const readValues = (fields: FieldsByName, row: RowFields, dates: ImportDates | null): RowFields =>
  Object.fromEntries(
    Object.entries(row).map(([name, given]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field === undefined ? given : readValue(name, field, given, dates)];
    }),
  );
