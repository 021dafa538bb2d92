import type { Actor } from '../company/user.ts';
import type { FieldKind } from '../schema/audited-resource.ts';
import { resourceOf } from './fields.ts';
import type { ResourceType } from './fields.ts';

/** Columns of an event, each with its value; in an update with `{from, to}`. */
export type StoredChanges = Readonly<Record<string, unknown>>;

/** Users that changes refer to, by id. */
export type ActorsById = Pick<ReadonlyMap<string, Actor>, 'get'>;

export const isFullObject = (action: string) => /\.(create|delete)$/.test(action);

/** Returns true for the values of a field before and after an update. */
export const isFieldChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

const PEOPLE_KINDS = new Set<FieldKind | undefined>(['person', 'people', 'review']);

const isReview = (value: unknown): value is { by: unknown } =>
  typeof value === 'object' && value !== null && 'by' in value;

/** Ids of the users that changes refer to. */
export function userIdsIn(type: ResourceType, action: string, changes: StoredChanges): string[] {
  const { kinds } = resourceOf(type);
  return Object.entries(changes)
    .filter(([column]) => PEOPLE_KINDS.has(kinds[column]))
    .flatMap(([, value]) => (!isFullObject(action) && isFieldChange(value) ? [value.from, value.to] : [value]))
    .flat()
    .map((value) => (isReview(value) ? value.by : value))
    .filter((id) => typeof id === 'string');
}

/** Converts stored changes to fields: the full object, or `{field: {from, to}}` for an update. Contract, section 6. */
export function toChanges(
  type: ResourceType,
  action: string,
  changes: StoredChanges,
  users: ActorsById,
): Record<string, unknown> {
  const { shownColumns, deriveFields, kinds } = resourceOf(type);
  const entries = Object.entries(shownColumns)
    .filter(([, column]) => Object.hasOwn(changes, column))
    .map(([field, column]): [string, unknown] => {
      const value = changes[column];
      const toPublic = (one: unknown) => toPublicValue(kinds[column], one, users);
      if (isFullObject(action) || !isFieldChange(value)) return [field, toPublic(value)];
      return [field, { from: toPublic(value.from), to: toPublic(value.to) }];
    });
  const fields = Object.fromEntries(entries);
  return isFullObject(action) ? { ...fields, ...deriveFields(fields) } : fields;
}

export function toPublicValue(kind: FieldKind | undefined, value: unknown, users: ActorsById): unknown {
  if (kind === 'people' && Array.isArray(value)) return value.map((id) => toPublicValue('person', id, users));
  if (kind === 'review' && isReview(value)) return { ...value, by: toPublicValue('person', value.by, users) };
  if (typeof value !== 'string') return value;
  if (kind === 'time') return new Date(value).toISOString();
  return kind === 'person' ? users.get(value) : value;
}
