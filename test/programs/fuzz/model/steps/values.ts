import { Finding } from '../../runner/finding.ts';
import { dedupeLabels, diffFields } from '../company-model.ts';

export const VENDORS = '/external/smart-inventory/vendor';
export const LABELS = ['red', 'Red', 'blue', 'green', 'BLUE', 'ünïcode'];
export const DAYS = ['2026-01-31', '2026-02-28', '2026-12-01', '2999-12-31'];

/** Reads the id of a created resource. */
export const uniqueIdOf = (item: unknown): string => String(Reflect.get(Object(item), 'uniqueId'));

/** Returns the statuses of the first check that fails: the service reports only that one. */
export const firstNonEmpty = (...predicted: number[][]): number[] =>
  predicted.find((statuses) => statuses.length > 0) ?? [];

export const withoutUndefined = <T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

export const pickFields = (fields: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));

/** Returns the fields of a request as the service stores them. */
export function normalize(fields: Record<string, unknown>): Record<string, unknown> {
  const { labels } = fields;
  return {
    ...fields,
    ...Object.fromEntries(
      ['title', 'name'].flatMap((field) => (field in fields ? [[field, String(fields[field]).trim()]] : [])),
    ),
    ...(Array.isArray(labels) && { labels: dedupeLabels(labels.map(String)) }),
  };
}

export function upsertResult(before: object | undefined, after: object): string {
  if (before === undefined) return 'created';
  return Object.keys(diffFields(before, after)).length === 0 ? 'unchanged' : 'updated';
}

/** Removes the timestamps, which the model cannot predict. Checks that they are present and in order. */
export function withoutTimestamps(output: unknown): object {
  const { createdAt, updatedAt, closedAt, closedBy, ...rest } = Object(output) as Record<string, unknown>;
  const isClosed = typeof closedAt === 'string';
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string' || createdAt > updatedAt)
    throw new Finding('unexpected response', `wrong timestamps in ${JSON.stringify(output)}`);
  if (isClosed ? closedAt < createdAt || closedAt > updatedAt || closedBy === null : closedBy)
    throw new Finding('unexpected response', `wrong closing in ${JSON.stringify(output)}`);
  return closedAt === undefined ? rest : { ...rest, isClosed };
}
