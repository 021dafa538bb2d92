import { AUDITED } from './audit-fields.ts';
import type { ResourceType } from './audit-fields.ts';
import type { Actor } from './user.ts';

/** What an event holds: columns, each with its value, or in an update with `{from, to}`. */
export type StoredChanges = Readonly<Record<string, unknown>>;

/** The users that changes name, by id. */
export type Users = ReadonlyMap<string, Actor>;

/** How columns that the whole schema names alike are shown: a moment in ISO 8601, a user as who it is. */
const MOMENT = /_(at|until)$/;
const USER = /(^|_)(by|user)_id$/;

const isWhole = (action: string) => /\.(create|delete)$/.test(action);

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

/** The ids of users that the changes name. */
export function usersIn(action: string, changes: StoredChanges): string[] {
  return Object.entries(changes)
    .filter(([column]) => USER.test(column))
    .flatMap(([, value]) => (!isWhole(action) && isChange(value) ? [value.from, value.to] : [value]))
    .filter((id) => typeof id === 'string');
}

/** Stored changes as the contract shows them: the whole object in its own shape, or `{field: {from, to}}`. Contract, section 6. */
export function toChanges(
  type: ResourceType,
  action: string,
  changes: StoredChanges,
  users: Users,
): Record<string, unknown> {
  const shown = Object.entries(AUDITED[type])
    .filter(([, column]) => Object.hasOwn(changes, column))
    .map(([field, column]): [string, unknown] => {
      const value = changes[column];
      if (isWhole(action) || !isChange(value)) return [field, show(column, value, users)];
      return [field, { from: show(column, value.from, users), to: show(column, value.to, users) }];
    });
  const derived = type === 'vendor' && isWhole(action) ? { active: changes['status'] === 'active' } : {};
  return { ...Object.fromEntries(shown), ...derived };
}

function show(column: string, value: unknown, users: Users): unknown {
  if (typeof value !== 'string') return value;
  if (MOMENT.test(column)) return new Date(value).toISOString();
  return USER.test(column) ? users.get(value) : value;
}
