import type { Session } from '../../../database/session.ts';
import { toPublicValue } from '../../../entities/audit/changes.ts';
import { SEALED_FIELDS } from '../../../entities/audit/sealed-fields.ts';
import { resourceOf } from '../../../entities/audit/fields.ts';
import type { ResourceType } from '../../../entities/audit/fields.ts';
import { isUniqueId } from '../../../entities/ids.ts';
import type { ResourceEventRow } from '../../../entities/proof/reading.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { RULES, UNRECORDED } from '../verify/verify.mjs';
import { resourcesOf } from './paging.ts';
import type { ResourceEvents } from './paging.ts';
import type { People } from './people.ts';

/** An object of a register, by field. */
export type RegisterRow = Readonly<Record<string, unknown>>;

/** A resource after its last event up to a time. */
export interface ResourceState {
  /** False after its deletion. */
  exists: boolean;
  columns: Readonly<Record<string, unknown>>;
  /** Number of events after the creation. */
  changes: number;
  last: ResourceEventRow;
}

/**
 * Applies the events of a resource up to its last one that began by a time. One that began later, and did not wait for any of them, may
 * come before it. @returns undefined if it did not exist yet
 */
export function stateAt({ events }: ResourceEvents, time: string): ResourceState | undefined {
  const end = events.findLastIndex(({ occurredAt }) => toIso(occurredAt) <= time);
  const last = events[end];
  if (last === undefined) return undefined;
  let exists = false;
  let changes = 0;
  let columns: Record<string, unknown> = {};
  for (const event of events.slice(0, end + 1)) {
    const isCreation = event.action.endsWith('.create');
    if (isCreation || event.action.endsWith('.delete')) {
      exists = isCreation;
      changes = 0;
      columns = { ...event.changes };
      continue;
    }
    changes += 1;
    for (const [column, change] of Object.entries(event.changes)) columns[column] = Reflect.get(Object(change), 'to');
  }
  return { exists, columns, changes, last };
}

/** Fields that no event has. Their values in the past are not known. */
const unrecordedFields = (type: ResourceType): readonly string[] => UNRECORDED[type] ?? [];

/** Fields of the objects of a type, in their order. */
export function registerFields(type: ResourceType): string[] {
  const { columns, derived } = SEALED_FIELDS.types[type] ?? { columns: {}, derived: [] };
  const stored = Object.values(columns).flatMap(({ field }) => field ?? []);
  return [...stored, ...derived.map(({ field }) => field), ...unrecordedFields(type)];
}

/** The object that `asOf` returns, with the names of people then. */
export function toRow(type: ResourceType, { columns, changes, last }: ResourceState, people: People): RegisterRow {
  const resource = resourceOf(type);
  const known = SEALED_FIELDS.types[type]?.columns ?? {};
  const row: Record<string, unknown> = {};
  for (const [column, { field, kind, ...rest }] of Object.entries(known)) {
    if (field === null) continue;
    if (Object.hasOwn(columns, column)) row[field] = toPublicValue(kind, columns[column], people);
    else if ('default' in rest) row[field] = toPublicValue(kind, rest.default, people);
  }
  Object.assign(row, resource.deriveFields(row));
  if (typeof row['version'] === 'number')
    Object.assign(row, {
      version: row['version'] + changes,
      updatedAt: toIso(last.occurredAt),
      updatedBy: people.get(last.user),
    });
  for (const [field, rule] of Object.entries(resource.registerRules)) row[field] = RULES[rule](row);
  for (const field of unrecordedFields(type)) row[field] = null;
  return row;
}

/** A row with the events from which it is made. */
export interface RegisterEntry {
  row: RegisterRow;
  resource: ResourceEvents;
}

interface RegisterOptions {
  asOf: string;
  /** Only objects of these frameworks, and of none; null for all. */
  frameworks: readonly number[] | null;
}

/** The states of the objects of a type at a time, in the order of their ids as text. Those that were deleted by then are among them. */
export async function* readStates(
  session: Session,
  type: ResourceType,
  { asOf, frameworks }: RegisterOptions,
): AsyncGenerator<{ resource: ResourceEvents; state: ResourceState }> {
  const { hasFramework } = resourceOf(type);
  const isIncluded = ({ last: { frameworkId, parentId } }: ResourceState) =>
    frameworks === null ||
    !hasFramework ||
    frameworks.includes(frameworkId) ||
    (parentId !== null && frameworkId === 0);
  for await (const resource of resourcesOf(session, type)) {
    const state = stateAt(resource, asOf);
    if (state !== undefined && isIncluded(state)) yield { resource, state };
  }
}

/** The objects of a type as they were at a time, by id. */
export async function* readRegister(
  session: Session,
  type: ResourceType,
  { people, ...options }: RegisterOptions & { people: People },
): AsyncGenerator<RegisterEntry> {
  const withIntegerIds: RegisterEntry[] = [];
  for await (const { resource, state } of readStates(session, type, options)) {
    if (!state.exists) continue;
    const entry = { row: toRow(type, state, people), resource };
    if (isUniqueId(resource.uniqueId)) yield entry;
    else withIntegerIds.push(entry);
  }
  // The log has their ids as text. Reference data are few.
  yield* withIntegerIds.toSorted((a, b) => Number(a.resource.uniqueId) - Number(b.resource.uniqueId));
}
