import { AUDITED_COLUMNS } from './fields.ts';
import type { ResourceType } from './fields.ts';
import type { Actor } from '../user.ts';

/** What an event holds: columns, each with its value, or in an update with `{from, to}`. */
export type StoredChanges = Readonly<Record<string, unknown>>;

/** The users that changes name, by id. */
export type ActorsById = ReadonlyMap<string, Actor>;

/** How columns that the whole schema names alike are shown: a moment in ISO 8601, a user as who it is. */
const TIMESTAMP_COLUMN = /_at$/;
const USER_COLUMN = /(^|_)(by|user)_id$/;

const isFullObject = (action: string) => /\.(create|delete)$/.test(action);

const isFieldChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/** The ids of users that the changes name. */
export function userIdsIn(action: string, changes: StoredChanges): string[] {
  return Object.entries(changes)
    .filter(([column]) => USER_COLUMN.test(column))
    .flatMap(([, value]) => (!isFullObject(action) && isFieldChange(value) ? [value.from, value.to] : [value]))
    .filter((id) => typeof id === 'string');
}

/** Stored changes as the contract shows them: the whole object in its own shape, or `{field: {from, to}}`. Contract, section 6. */
export function toChanges(
  type: ResourceType,
  action: string,
  changes: StoredChanges,
  users: ActorsById,
): Record<string, unknown> {
  const fields = Object.entries(AUDITED_COLUMNS[type])
    .filter(([, column]) => Object.hasOwn(changes, column))
    .map(([field, column]): [string, unknown] => {
      const value = changes[column];
      if (isFullObject(action) || !isFieldChange(value)) return [field, toPublicValue(column, value, users)];
      return [field, { from: toPublicValue(column, value.from, users), to: toPublicValue(column, value.to, users) }];
    });
  const derived = type === 'vendor' && isFullObject(action) ? { active: changes['status'] === 'active' } : {};
  return { ...Object.fromEntries(fields), ...derived };
}

function toPublicValue(column: string, value: unknown, users: ActorsById): unknown {
  if (typeof value !== 'string') return value;
  if (TIMESTAMP_COLUMN.test(column)) return new Date(value).toISOString();
  return USER_COLUMN.test(column) ? users.get(value) : value;
}
