import { dateText, timeText } from '../../dates.ts';
import { statusText } from '../status-dot.tsx';
import { priorityText } from '../task/choices.ts';
import { criticalityText } from '../vendor/choices.ts';

/** Finds the name of a department, gap, framework or vendor; undefined if it is unknown. */
export type FindName = (field: string, id: number | string) => string | undefined;

const LABELS: Readonly<Record<string, string>> = {
  departmentId: 'Department',
  assigneeId: 'Assignee',
  ownerId: 'Owner',
  reviewerId: 'Reviewer',
  endsAt: 'Last day of access',
  lockClosed: 'Lock closed work',
  reviewEveryMonths: 'Months between reviews',
  previous: 'Previous task',
  seriesDate: 'Date of the series',
  cidrs: 'Address ranges',
  url: 'URL',
};

/** Name of a field as people read it: `dueDate` is "Due date". */
export function fieldLabel(field: string): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasName = (value: unknown): value is { name: string } =>
  isObject(value) && 'name' in value && typeof value.name === 'string';

/** "1 month", "12 months" */
export const monthsText = (months: number): string => `${months} ${months === 1 ? 'month' : 'months'}`;

/** True for null, empty text and empty lists. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Numbers that are words. */
const NUMBER_TEXTS: Readonly<Record<string, (value: number) => string>> = {
  priority: priorityText,
  criticality: criticalityText,
  reviewEveryMonths: String,
};

/** The word of a number, or the name of an id; undefined for an id without a known name. */
export const numberText = (field: string, value: number, findName?: FindName): string | undefined =>
  NUMBER_TEXTS[field]?.(value) ?? findName?.(field, value);

/** Fields with uniqueIds, and what those stand for until their names are known. */
export const REFERENCES: Readonly<Record<string, string>> = {
  vendors: 'a vendor',
  requirements: 'a requirement',
  requirement: 'a requirement',
  parent: 'a requirement',
};

/** A value of a field as text: names instead of ids, words instead of codes. */
export function valueText(field: string, value: unknown, findName: FindName = () => undefined): string {
  if (isEmpty(value)) return 'none';
  if (Array.isArray(value))
    return value.map((item) => valueText(field, item, findName)).join(value.some(isObject) ? '; ' : ', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(field, value, findName) ?? String(value);
  const noun = REFERENCES[field];
  if (noun !== undefined && typeof value === 'string') return findName(field, value) ?? noun;
  if (typeof value === 'string') return wordsOf(field, value);
  return objectText(value);
}

/** A review, an assessment, a contact or a person as text. */
function objectText(value: unknown): string {
  if (isReview(value)) {
    const result = 'result' in value && typeof value.result === 'string' ? `${statusText(value.result)}, ` : '';
    const start = `${result}${timeText(value.at)}, by ${value.by.name}`;
    return value.note === '' ? start : `${start}: ${value.note}`;
  }
  if (!hasName(value)) return JSON.stringify(value);
  const { name, role, email } = { role: null, email: null, ...value };
  return [name, role, email].filter((part) => typeof part === 'string').join(', ');
}

/** The last review of a vendor. */
interface ReviewValue {
  at: string;
  by: { name: string };
  note: string;
}

/** True for the value of `lastReview` or `assessment`. */
export const isReview = (value: unknown): value is ReviewValue =>
  isObject(value) &&
  'at' in value &&
  typeof value.at === 'string' &&
  'by' in value &&
  hasName(value.by) &&
  'note' in value &&
  typeof value.note === 'string';

function wordsOf(field: string, text: string): string {
  if (field === 'status' || field === 'role') return statusText(text);
  if (DATE.test(text)) return dateText(text);
  return TIMESTAMP.test(text) ? timeText(text) : text;
}

/** True for a text that is compared word by word. */
export const isLongText = (field: string, value: unknown): boolean =>
  field === 'description' || (field !== 'recurrence' && typeof value === 'string' && value.length > LONG_TEXT);
const LONG_TEXT = 40;
