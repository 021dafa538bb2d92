import { dateText, timeText } from '../../dates.ts';
import { statusText } from '../status-dot.tsx';
import { priorityText } from '../task/choices.ts';

/** Finds the name of a department, gap, framework or vendor; undefined if it is unknown. */
export type FindName = (field: string, id: number | string) => string | undefined;

const LABELS: Readonly<Record<string, string>> = {
  departmentId: 'Department',
  assigneeId: 'Assignee',
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

const hasName = (value: unknown): value is { name: string } =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

/** True for null, empty text and empty lists. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A value of a field as text: names instead of ids, words instead of codes. */
export function valueText(field: string, value: unknown, findName: FindName = () => undefined): string {
  if (isEmpty(value)) return 'none';
  if (Array.isArray(value)) return value.map((item) => valueText(field, item, findName)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return field === 'priority' ? priorityText(value) : (findName(field, value) ?? String(value));
  if (typeof value === 'string') return (field === 'vendors' && findName(field, value)) || wordsOf(field, value);
  return hasName(value) ? value.name : JSON.stringify(value);
}

function wordsOf(field: string, text: string): string {
  if (field === 'status' || field === 'role') return statusText(text);
  if (DATE.test(text)) return dateText(text);
  return TIMESTAMP.test(text) ? timeText(text) : text;
}

/** True for a text that is compared word by word. */
export const isLongText = (field: string, value: unknown): boolean =>
  field === 'description' || (typeof value === 'string' && value.length > LONG_TEXT);
const LONG_TEXT = 40;
