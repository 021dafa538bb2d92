import type { Actor } from '../../../../entities/company/user.ts';
import { escapeHtml, oneLine } from '../../../core/html.ts';
import type { Names } from '../people.ts';

/** Text that is HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(({ text }) => text).join('') : escapeHtml(oneLine(String(part)));
};

/** Makes HTML. Values are escaped, except HTML. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, index) => text + textOf(parts[index] ?? '')).join(''));

export const NOTHING = new Html('');

/** A paragraph in quiet type. */
export const note = (text: string): Html => markup`<p class="note">${text}</p>\n`;

// A document without the end tags of cells and rows is valid, and a fifth smaller.
// https://html.spec.whatwg.org/multipage/syntax.html#optional-tags

/** A table whose head is repeated on each printed page. Rows are written as they are made. @param kind its class */
export const tableStart = (heads: readonly string[], kind: string): Html =>
  markup`<table class="${kind}"><thead><tr>${heads.map((head) => markup`<th>${head}`)}<tbody>\n`;
export const TABLE_END = new Html('</table>\n');

export const tableRow = (cells: readonly Part[]): Html => markup`<tr>${cells.map((cell) => markup`<td>${cell}`)}\n`;

/** A text, cut at a number of characters. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${Array.from(text.slice(0, length)).slice(0, -1).join('')}…`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

/** A calendar date: "12 Oct 2026". */
export function dateText(date: string): string {
  const [year = '', month = '', day = ''] = date.slice(0, 10).split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** Days from a calendar date to a later one. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** Times as a company reads them. */
export class Times {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.zone = zone;
    // The Swedish format writes dates as ISO 8601 does.
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  }

  /** The calendar date of a time: "2026-10-12". */
  dateOf(time: string): string {
    return this.#format.format(new Date(time)).slice(0, 10);
  }

  /** "12 Oct 2026, 14:05" */
  text(time: string): string {
    const text = this.#format.format(new Date(time));
    return `${dateText(text)}, ${text.slice(11, 16)}`;
  }

  /** The text with the exact time in UTC. */
  exact(time: string): string {
    return `${this.text(time)} (${time})`;
  }
}

/** Characters of a value in a sentence. */
const MAX_VALUE_LENGTH = 80;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
const PRIORITIES: Readonly<Record<number, string>> = { 1: 'Urgent', 2: 'High', 3: 'Medium', 4: 'Low' };
const CRITICALITIES: Readonly<Record<number, string>> = { ...PRIORITIES, 1: 'Critical' };
const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;
const LABELS: Readonly<Record<string, string>> = {
  departmentId: 'department',
  reviewEveryMonths: 'months between reviews',
  url: 'URL',
  validUntil: 'last day of validity',
};

/** Name of a field in a sentence: `dueDate` is "due date". */
export const fieldText = (field: string): string =>
  LABELS[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A status as people read it: "In progress". */
export function statusText(status: unknown): string {
  const words = String(status).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const priorityText = (priority: unknown): string => PRIORITIES[Number(priority)] ?? String(priority);

export const criticalityText = (criticality: unknown): string =>
  isEmpty(criticality) ? 'none' : (CRITICALITIES[Number(criticality)] ?? String(criticality));

/** "1,024" */
export const numberText = (count: number): string => count.toLocaleString('en');

/** "1 task", "1,024 tasks" */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** A number of bytes: "820 bytes", "1.2 MB", "48 MB". */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const text = value.toLocaleString('en', { maximumFractionDigits: power > 0 && value < 10 ? 1 : 0 });
  return `${text} ${bytes === 1 ? 'byte' : UNITS[power]}`;
}

const isActor = (value: unknown): value is Actor =>
  typeof value === 'object' && value !== null && 'uniqueId' in value && 'name' in value && 'kind' in value;

/** The name of a person, and if it was not recorded. Contract, section 26. */
export function personText(person: unknown, names: Names): string {
  if (!isActor(person)) return 'Nobody';
  return names.isUnrecorded(person.uniqueId) ? `${person.name} (not recorded then)` : person.name;
}

/** True for null, empty text and empty lists. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Finds the name of a department, gap, framework or vendor. */
type FindName = (field: string, id: unknown) => string | undefined;

/** Values of the fields of an event as text. */
export class Values {
  readonly #times: Times;
  readonly #findName: FindName;

  constructor(times: Times, findName: FindName) {
    this.#times = times;
    this.#findName = findName;
  }

  /** Names instead of ids, words instead of codes. */
  text(field: string, value: unknown, names: Names): string {
    return shortened(this.#whole(field, value, names), MAX_VALUE_LENGTH);
  }

  #whole(field: string, value: unknown, names: Names): string {
    if (isEmpty(value)) return 'none';
    if (Array.isArray(value)) return value.map((item) => this.#whole(field, item, names)).join(', ');
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (field === 'priority') return priorityText(value);
    if (field === 'criticality') return criticalityText(value);
    if (field === 'status') return statusText(value);
    if (typeof value === 'number') return this.#findName(field, value) ?? String(value);
    if (typeof value !== 'string') return isActor(value) ? personText(value, names) : JSON.stringify(value);
    if (DATE.test(value)) return dateText(value);
    return TIMESTAMP.test(value) ? this.#times.text(value) : (this.#findName(field, value) ?? value);
  }
}

/** Order of texts by code unit, which is the same in every language. */
export const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
