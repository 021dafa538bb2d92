import { hash } from 'node:crypto';
import { positionAfter } from './order.ts';
import type { Order, Position } from './order.ts';

/** Input of the statements of a sample. Null for other orders. */
export interface Sample {
  seed: string | null;
}

/**
 * The order of a sample: by the SHA-256 of seed, colon and uniqueId, so that anybody can recompute who is in it. Bytes are in the order
 * of their hexadecimal digits. Contract, section 28.
 */
export const SAMPLE_ORDER: Order = {
  direction: 'asc',
  by: { field: 'sample', column: 'sample', type: 'bytea', start: '' },
};

/** SQL of the rows `t` with the column of the order. @param from table or subquery with the alias `t` */
export const withSample = (from: string, { seed }: Readonly<Record<keyof Sample, string>>) =>
  `(select t.*, sha256(convert_to(${seed}::text || ':' || t.unique_id, 'UTF8')) as sample from ${from}) t`;

/** Position after an item of a sample, or before the first one. A cursor needs only the id. */
const positionInSample = (seed: string, id: string | undefined): Position =>
  positionAfter(SAMPLE_ORDER, id === undefined ? [] : [id, `\\x${hash('sha256', `${seed}:${id}`, 'hex')}`]);

/** Position in a list that may be a sample. @param last `positionOf` of the last row; empty for the first page */
export const positionWithSeed = (order: Order, last: readonly string[], seed: string | null): Position & Sample => ({
  ...(seed === null ? positionAfter(order, last) : positionInSample(seed, last[0])),
  seed,
});
