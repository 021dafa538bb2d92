import type { Session } from '../../database/session.ts';
import { isFieldChange, isFullObject } from '../../entities/audit/changes.ts';
import { ownCompany } from '../../entities/company/statements.ts';
import { labelOf } from '../../entities/fields/kind.ts';
import { taskResource } from '../../entities/task/task.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import { findNames, writeValue } from '../import/for-people.ts';
import type { FieldsOfKind } from '../import/for-people.ts';
import { BOM } from '../import/parsing/csv.ts';
import { writeRecords } from '../import/export.ts';
import type { CsvOptions } from '../import/export.ts';

const COLUMNS = ['time', 'person', 'action', 'resource', 'name', 'field', 'from', 'to'];

/** An event with the name of its resource. */
interface NamedEvent {
  occurredAt: string;
  actor: { name: string };
  action: string;
  resource: { type: string; name: string | null };
  changes?: Readonly<Record<string, unknown>> | undefined;
}

/** The value of a field before and after an event. */
interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

function changesOf({ action, changes = {} }: NamedEvent): FieldChange[] {
  const isDeleted = action.endsWith('.delete');
  return Object.entries(changes).map(([field, value]) => {
    if (!isFullObject(action) && isFieldChange(value)) return { field, from: value.from, to: value.to };
    return isDeleted ? { field, from: value, to: null } : { field, from: null, to: value };
  });
}

const isEmpty = ({ from, to }: FieldChange) => [from, to].every((value) => value === null || value === '');

/** A value as the API has it. */
const plainText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The fields from which the words of the application derive, by type of the resource. */
const RESOURCES: Readonly<Record<string, { labels: Readonly<Record<string, string>>; fields: FieldsOfKind }>> = {
  task: {
    labels: taskResource.labels,
    fields: { ...taskResource.schemas, framework: { refersTo: { kind: 'framework' } } },
  },
  vendor: { labels: vendorResource.labels, fields: vendorResource.schemas },
};

const TYPES: Readonly<Record<string, string>> = { apiKey: 'API key', sso: 'Single sign-on' };
const VERBS: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  review: 'Reviewed',
};

/** A value as people read it, of a field without words of its own. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return plainText(Object(value) === value && 'name' in Object(value) ? Reflect.get(Object(value), 'name') : value);
}

/** Writes the cells of changes as people read them. The times are those of the company. */
async function forPeople(session: Session, events: readonly NamedEvent[]) {
  const { timeZone } = await session.one(ownCompany, {});
  // The Swedish format writes times as ISO 8601 does.
  const times = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const names = new Map<string, Awaited<ReturnType<typeof findNames>>>();
  for (const [type, { fields }] of Object.entries(RESOURCES)) {
    const values = events
      .filter(({ resource }) => resource.type === type)
      .flatMap((event) => changesOf(event).flatMap(({ field, from, to }) => [{ [field]: from }, { [field]: to }]));
    // One statement for each type, one after the other on one connection.
    // oxlint-disable-next-line no-await-in-loop
    names.set(type, await findNames(session, fields, values));
  }
  return {
    time: (time: string) => times.format(new Date(time)),
    action: (action: string) => {
      const verb = action.slice(action.indexOf('.') + 1);
      return VERBS[verb] ?? labelOf(verb);
    },
    resource: (type: string) => TYPES[type] ?? labelOf(type),
    field: (type: string, field: string) => RESOURCES[type]?.labels[field] ?? labelOf(field),
    value: (type: string, field: string, value: unknown) => {
      const declared = RESOURCES[type]?.fields[field];
      const known = names.get(type);
      return declared === undefined || known === undefined ? textOf(value) : writeValue(declared, value, known);
    },
  };
}

const FOR_PROGRAMS: Awaited<ReturnType<typeof forPeople>> = {
  time: (time) => time,
  action: (action) => action,
  resource: (type) => type,
  field: (_type, field) => field,
  value: (_type, _field, value) => plainText(value),
};

/** Writes events as CSV, one row for each field. One without fields has one row. */
export async function writeEvents(
  session: Session,
  events: readonly NamedEvent[],
  { isFirst, ...options }: CsvOptions & { isFirst: boolean },
): Promise<{ content: string; rows: number }> {
  const isForPeople = options.format === 'people';
  const words = isForPeople ? await forPeople(session, events) : FOR_PROGRAMS;
  const records = events.flatMap((event) => {
    const { type, name } = event.resource;
    const start = [
      words.time(event.occurredAt),
      event.actor.name,
      words.action(event.action),
      words.resource(type),
      name ?? '',
    ];
    const changes = changesOf(event).filter((change) => !isForPeople || !isEmpty(change));
    if (changes.length === 0) return [[...start, '', '', '']];
    return changes.map(({ field, from, to }) =>
      start.concat(words.field(type, field), words.value(type, field, from), words.value(type, field, to)),
    );
  });
  const header = isForPeople ? COLUMNS.map((column) => labelOf(column)) : COLUMNS;
  const head = isFirst ? BOM + writeRecords([header], options) : '';
  return { content: head + writeRecords(records, options), rows: records.length };
}
