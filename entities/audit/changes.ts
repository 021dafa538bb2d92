import type { Actor } from '../company/user.ts';
import { resourceOf } from './fields.ts';
import type { ResourceType } from './fields.ts';

/** Columns of an event, each with its value; in an update with `{from, to}`. */
export type StoredChanges = Readonly<Record<string, unknown>>;

/** Users that changes refer to, by id. */
export type ActorsById = ReadonlyMap<string, Actor>;

/** Columns with these names hold a timestamp or the id of a user, in every table. */
const TIMESTAMP_COLUMN = /_at$/;
const USER_COLUMN = /(^|_)(by|user)_id$/;

export const isFullObject = (action: string) => /\.(create|delete)$/.test(action);

/** Returns true for the values of a field before and after an update. */
export const isFieldChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/** Ids of the users that changes refer to. */
export function userIdsIn(action: string, changes: StoredChanges): string[] {
  return Object.entries(changes)
    .filter(([column]) => USER_COLUMN.test(column))
    .flatMap(([, value]) => (!isFullObject(action) && isFieldChange(value) ? [value.from, value.to] : [value]))
    .filter((id) => typeof id === 'string');
}

/** Converts stored changes to fields: the full object, or `{field: {from, to}}` for an update. Contract, section 6. */
export function toChanges(
  type: ResourceType,
  action: string,
  changes: StoredChanges,
  users: ActorsById,
): Record<string, unknown> {
  const { auditedColumns, deriveFields } = resourceOf(type);
  const entries = Object.entries(auditedColumns)
    .filter(([, column]) => Object.hasOwn(changes, column))
    .map(([field, column]): [string, unknown] => {
      const value = changes[column];
      if (isFullObject(action) || !isFieldChange(value)) return [field, toPublicValue(column, value, users)];
      return [field, { from: toPublicValue(column, value.from, users), to: toPublicValue(column, value.to, users) }];
    });
  const fields = Object.fromEntries(entries);
  return isFullObject(action) ? { ...fields, ...deriveFields(fields) } : fields;
}

function toPublicValue(column: string, value: unknown, users: ActorsById): unknown {
  if (typeof value !== 'string') return value;
  if (TIMESTAMP_COLUMN.test(column)) return new Date(value).toISOString();
  return USER_COLUMN.test(column) ? users.get(value) : value;
}
