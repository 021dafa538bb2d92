import type { Session } from '../../database/session.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { labelOf } from '../../entities/fields/kind.ts';
import type { Field } from '../../entities/fields/kind.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import { findResourceNames, namesInput } from '../../entities/audit/names.ts';
import { recurrenceText } from '../../entities/task/recurrence-text.ts';
import { taskResource } from '../../entities/task/task.ts';
import { REQUIREMENT_STATUSES, requirementResource } from '../../entities/requirement/requirement.ts';
import { reviewFields, vendorResource } from '../../entities/vendor/vendor.ts';
import { htmlToText } from '../core/html.ts';
import { todayIn } from '../schemas/time-zone.ts';
import { splitList } from './values.ts';

// Values as an export for people writes them. Contract, section 29.

/** Objects that a file for people contains. */
export type ExportKind = ImportKind | 'requirement';

export type FieldsOfKind = Readonly<Record<string, Pick<Field, 'refersTo' | 'words' | 'written'>>>;

const { seriesDate: _, ...taskFields } = taskResource.schemas;

/** Column with the ref of the requirement above, in place of its id. */
export const PARENT_REF = 'parentRef';
const withParentRef = ([name, field]: [string, FieldsOfKind[string]]) =>
  name === 'parent' ? ([PARENT_REF, {}] as const) : ([name, field] as const);

/** Columns that rows of requirements set, by name. */
export const requirementColumns: FieldsOfKind = Object.fromEntries(
  Object.entries(requirementResource.schemas).map(withParentRef),
);
export const requirementLabels: Readonly<Record<string, string>> = {
  ...requirementResource.labels,
  [PARENT_REF]: labelOf('parent'),
};

/** Columns of an export for people: those that an import reads, and those that only people read. */
const KIND_COLUMNS: Readonly<Record<ExportKind, { fields: FieldsOfKind; labels: Readonly<Record<string, string>> }>> = {
  task: {
    fields: { ...taskFields, closedAt: {}, closedBy: {}, framework: { refersTo: { kind: 'framework' } } },
    labels: taskResource.labels,
  },
  vendor: { fields: { ...vendorResource.schemas, lastReview: {} }, labels: vendorResource.labels },
  requirement: {
    fields: {
      ...requirementColumns,
      status: { words: REQUIREMENT_STATUSES.map((status) => [status, labelOf(status.replaceAll('_', ' '))]) },
      assessment: {},
      framework: { refersTo: { kind: 'framework' } },
    },
    labels: requirementLabels,
  },
};

/** Names of fields by the property under which items show their people. */
const PEOPLE: Readonly<Record<string, string>> = { assigneeId: 'assignee', reviewerId: 'reviewer', ownerId: 'owner' };

/** Names of the objects that fields refer to, by type and id. */
type Names = ReadonlyMap<string, string | null>;

const keyOf = (type: string, id: unknown) => `${type} ${String(id)}`;

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** Finds the names of the objects that fields of items refer to. People are shown with their names. */
export async function findNames(session: Session, fields: FieldsOfKind, items: readonly object[]): Promise<Names> {
  const resources = Object.entries(fields).flatMap(([name, { refersTo }]) =>
    refersTo === undefined || refersTo.kind === 'member'
      ? []
      : items.flatMap((item) =>
          listOf(Reflect.get(item, name)).map((id) => ({ type: refersTo.kind, uniqueId: String(id) })),
        ),
  );
  const input = namesInput(resources);
  const rows = input === undefined ? [] : await session.run(findResourceNames, input);
  return new Map(rows.map(({ type, id, name }) => [keyOf(type, id), name]));
}

/** Writes a list in the first form from which an import reads the same list: separated by one of the separators, or as JSON. */
function writeList(items: readonly string[], separators: readonly string[]): string {
  const isSame = (text: string) => {
    const parts = splitList(text);
    return (
      !text.startsWith('[') && parts.length === items.length && parts.every((part, index) => part === items[index])
    );
  };
  return separators.map((separator) => items.join(separator)).find(isSame) ?? JSON.stringify(items);
}

const textOf = (item: unknown, name: string): string | undefined => {
  const value: unknown = Reflect.get(Object(item), name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function writeContact(contact: unknown): string {
  const [email, role] = [textOf(contact, 'email'), textOf(contact, 'role')];
  return `${textOf(contact, 'name') ?? ''}${email === undefined ? '' : ` <${email}>`}${role === undefined ? '' : ` (${role})`}`;
}

/** A value as people read it. Empty text for none. */
export function writeValue(
  { refersTo, words, written }: Pick<Field, 'refersTo' | 'words' | 'written'>,
  value: unknown,
  names: Names,
): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = typeof value === 'string' ? value : (textOf(value, 'name') ?? JSON.stringify(value));
  if (words !== undefined) return words.find(([one]) => one === value)?.[1] ?? text;
  if (refersTo !== undefined && refersTo.kind !== 'member') {
    const { kind } = refersTo;
    const texts = listOf(value).map((id) => names.get(keyOf(kind, id)) ?? String(id));
    const [only = ''] = texts;
    return texts.length <= 1 ? only : writeList(texts, [', ', '; ']);
  }
  const items = listOf(value);
  if (written === 'contacts') return items.map(writeContact).join('; ');
  if (written === 'list') return items.length === 0 ? '' : writeList(items.map(String), [', ']);
  if (written === 'html') return htmlToText(text);
  return written === 'recurrence' ? recurrenceText(text) : text;
}

/** A review as people read it: "2026-11-30, Ann, Approved, risk Low: no findings". */
function writeReview(review: unknown): string {
  if (review === null) return '';
  const by = textOf(Reflect.get(Object(review), 'by'), 'name') ?? '';
  const note = textOf(review, 'note');
  const wordOf = (name: keyof typeof reviewFields) =>
    reviewFields[name].words?.find(([value]) => value === Reflect.get(Object(review), name))?.[1];
  const risk = wordOf('risk');
  const facts = [textOf(review, 'at')?.slice(0, 10) ?? '', by, wordOf('outcome'), risk && `risk ${risk}`];
  return `${facts.filter((fact) => fact !== undefined).join(', ')}${note === undefined ? '' : `: ${note}`}`;
}

/** Fields that show a review. */
const REVIEWS = new Set(['lastReview', 'assessment']);

/** Headings of an export for people, beside those of fields that an import sets. */
export const ID_HEADING = 'Id';
export const EXTERNAL_ID_HEADING = 'External id';

/** Headings of the columns for people, without those of ids. */
export const headingsOf = (kind: ExportKind): string[] =>
  Object.keys(KIND_COLUMNS[kind].fields).map((name) => KIND_COLUMNS[kind].labels[name] ?? labelOf(name));

/** The cells of items by field, as an export for people writes them. */
export async function writeItems(
  session: Session,
  kind: ExportKind,
  items: readonly object[],
): Promise<Map<string, string>[]> {
  const { fields } = KIND_COLUMNS[kind];
  const names = await findNames(session, fields, items);
  const { timeZone } = await session.one(ownCompany, {});
  const write = (name: string, field: FieldsOfKind[string], value: unknown) => {
    if (REVIEWS.has(name)) return writeReview(value);
    // The day, by which lists are filtered too.
    if (name === 'closedAt' && typeof value === 'string') return todayIn(timeZone, new Date(value));
    return writeValue(field, value, names);
  };
  return items.map(
    (item) =>
      new Map(
        Object.entries(fields).map(([name, field]) => [
          name,
          write(name, field, Reflect.get(item, PEOPLE[name] ?? name)),
        ]),
      ),
  );
}

/** The value of a field that an item has, as requests have it. */
export const valueIn = (item: object, name: string): unknown => {
  const shown = PEOPLE[name];
  const value: unknown = Reflect.get(item, shown ?? name);
  return shown === undefined ? value : (textOf(value, 'uniqueId') ?? null);
};
