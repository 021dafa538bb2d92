import { DateTimeType, DateType, IntegerType, SmallIntType, StringType } from '@mikro-orm/core';
import { FIRST_ID, LAST_ID } from '../ids.ts';
import { columnOf, optionsOf } from '../schema/audited-resource.ts';
import type { Properties } from '../schema/audited-resource.ts';
import type { Placeholders } from './define-statement.ts';

/** Order of a list: by a column, then by uniqueId in the same direction, so that one index serves both directions. */
export interface Order {
  direction: 'asc' | 'desc';
  /** First column of the order, with its field, its type and a value before all others; undefined for the order of uniqueId. */
  by?: { field: string; column: string; type: string; start: string };
  /** Set if the column may be null: a value after all others. Rows with null come last. */
  end?: string;
}

/** Types of columns that orders begin with: the type in SQL, a value before all others, and one after them. No name is empty. */
const TYPES = new Map<unknown, readonly string[]>([
  [DateType, ['date', '-infinity', 'infinity']],
  [DateTimeType, ['timestamptz', '-infinity', 'infinity']],
  [IntegerType, ['int', '-2147483648', '2147483647']],
  [SmallIntType, ['smallint', '-32768', '32767']],
  [StringType, ['varchar', '']],
]);

/**
 * The orders of a list: each by a property, descending with `-`. Ids ascend in the order of creation, so that of `createdAt` is the order
 * of uniqueId.
 */
export const ordersOf = <Props extends Properties, Sort extends `${'' | '-'}${keyof Props & string}`>(
  properties: Props,
  sorts: readonly Sort[],
): Record<Sort, Order> =>
  byKey(sorts, (sort) => {
    const field = sort.replace('-', '');
    const direction = field === sort ? 'asc' : 'desc';
    if (field === 'createdAt') return { direction };
    const { [field]: property = { '~options': {} } }: Properties = properties;
    const { type: kind, nullable } = optionsOf(property);
    const [type, min, max] = TYPES.get(kind) ?? [];
    const [start, end] = direction === 'asc' ? [min, max] : [max, min];
    if (type === undefined || start === undefined || (nullable === true && end === undefined))
      throw new Error(`${sort}: expected a property that can be sorted`);
    return {
      direction,
      by: { field, column: columnOf(field, property), type, start },
      ...(nullable === true && { end }),
    };
  });

/** Ids before all others, by direction. */
const START_IDS = { asc: FIRST_ID, desc: LAST_ID } as const;

/** Position between two rows of a list. */
export interface Position {
  /** Rows with a value in the first column of the order come after this value and id. */
  afterValue: string;
  afterId: string;
  /** Rows without a value come after this id. */
  afterIdWithoutValue: string;
}

/**
 * Position after a row, or before the first row.
 * @param last `positionOf` of the row; empty for the first page
 */
export function positionAfter({ direction, by, end }: Order, [id, value]: readonly string[]): Position {
  const startId = START_IDS[direction];
  const start = { afterValue: by?.start ?? '', afterId: startId, afterIdWithoutValue: startId };
  if (id === undefined) return start;
  if (value !== undefined) return { ...start, afterValue: value, afterId: id };
  return { afterValue: end ?? start.afterValue, afterId: id, afterIdWithoutValue: id };
}

/** Position of a row: its id, and its value in the first column of the order if it has one. Dates and times are text of PostgreSQL. */
export function positionOf({ by }: Order, row: { uniqueId: string }): string[] {
  const value: unknown = by && Reflect.get(row, by.field);
  return typeof value === 'string' || typeof value === 'number' ? [row.uniqueId, String(value)] : [row.uniqueId];
}

/** SQL of an order. */
export function orderBy({ direction, by, end }: Order, alias: string): string {
  const nulls = end === undefined ? '' : ' nulls last';
  return `${by === undefined ? '' : `${alias}.${by.column} ${direction}${nulls}, `}${alias}.unique_id ${direction}`;
}

/**
 * SQL of the first rows after a position, from an index: uniqueId, and the column of the order. An index scan cannot have nulls last
 * in both directions, so rows without a value are a second scan of the same index.
 * @param from table with the alias `t`
 * @param conditions ends in `and`, or empty
 * @param selected columns that it selects; by default those of the order
 */
export function pageOf(
  order: Order,
  from: string,
  conditions: string,
  placeholders: Placeholders<Position & { limit: number | null }>,
  selected?: readonly string[],
): string {
  const { afterValue, afterId, afterIdWithoutValue, limit } = placeholders;
  const { direction, by, end } = order;
  const after = direction === 'asc' ? '>' : '<';
  const scan = (position: string) => {
    const columns = [...(by === undefined ? [] : [`t.${by.column}`]), 't.unique_id'];
    const shown = selected?.map((column) => `t.${column}`) ?? columns;
    return `select ${shown.join(', ')} from ${from} where ${conditions} ${position}
      order by ${columns.map((column) => `${column} ${direction}`).join(', ')} limit (select ${limit}::int)`;
  };
  if (by === undefined) return scan(`t.unique_id ${after} ${afterId}::uuid`);
  const withValue = scan(`(t.${by.column}, t.unique_id) ${after} (${afterValue}::${by.type}, ${afterId}::uuid)`);
  if (end === undefined) return withValue;
  const withoutValue = scan(`t.${by.column} is null and t.unique_id ${after} ${afterIdWithoutValue}::uuid`);
  return `(${withValue}) union all (${withoutValue})`;
}

/** The keys of a record. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record has no other keys
export const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as Key[];

/** A record with the value of each key. */
export const byKey = <Key extends string, Value>(keys: readonly Key[], valueOf: (key: Key) => Value) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries have every key
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;
