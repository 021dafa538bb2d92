// Requests of two-way-sync.ts: vendors by external id, and the change feed. The client retries temporary errors.
import { z } from 'zod';
import { ApiError, ComplianceClient, CursorLostError } from '../../clients/typescript/src/index.ts'; // '@compliance/client'
import type { Tagged, Vendor } from '../../clients/typescript/src/index.ts';

const { SERVER = 'http://127.0.0.1:3000', API_KEY = '', SOURCE = 'csv' } = process.env;
const { vendors, changes } = new ComplianceClient({ baseUrl: SERVER, apiKey: API_KEY, timeoutMs: 300_000 });

const STATUSES = ['active', 'inactive', 'archived'] as const;
export const Fields = z.object({ name: z.string(), description: z.string(), status: z.string() });
export type Fields = z.infer<typeof Fields>;
/** A vendor as both sides last had it. */
export const Base = Fields.extend({ uniqueId: z.string(), etag: z.string() });
export type Base = z.infer<typeof Base>;

export const fieldsOf = ({ name, description, status }: Fields): Fields => ({ name, description, status });
export const isEqual = (one: Fields | undefined, other: Fields | undefined) =>
  JSON.stringify(one && fieldsOf(one)) === JSON.stringify(other && fieldsOf(other));
const toBase = (vendor: Tagged<Vendor>): Base => ({
  ...fieldsOf(vendor),
  uniqueId: vendor.uniqueId,
  etag: vendor.etag,
});

/** Returns another value in place of an error with this code. */
const instead =
  <Value>(code: string, value: Value) =>
  (error: unknown): Value => {
    if (error instanceof ApiError && error.code === code) return value;
    throw error;
  };

export const readVendor = (id: string): Promise<Base | undefined> =>
  vendors.getByExternalId(SOURCE, id).then(toBase, instead('not_found', undefined));

/** Reads what others changed after a cursor. @returns ids of the vendors; undefined if the server was restored to a time before the cursor */
export async function readChanges(start: string, waitSeconds: number) {
  const changed = new Set<string>();
  try {
    const page = { cursor: start, wait: waitSeconds, limit: 500 };
    for await (const { items, more, cursor } of changes.follow({ type: ['vendor'], actor: 'others', ...page })) {
      for (const { resource, externalIds = [] } of items) await addId(changed, resource.uniqueId, externalIds);
      if (!more) return { cursor, changed };
    }
  } catch (error) {
    if (!(error instanceof CursorLostError)) throw error;
  }
  return undefined;
}

/** Reads everything. The cursor comes first, so that the feed has every change that the list misses. */
export async function readEverything() {
  const cursor = await changes.now();
  const changed = new Set<string>();
  for await (const { uniqueId, externalIds } of vendors.list()) await addId(changed, uniqueId, externalIds);
  return { cursor, changed };
}

/** Adds the external id of a vendor, which gets its uniqueId if it has none. A deleted vendor without one is in no file. */
async function addId(ids: Set<string>, uniqueId: string, externalIds: Vendor['externalIds']): Promise<void> {
  const existing = externalIds.find(({ source }) => source === SOURCE)?.externalId;
  if (existing !== undefined) ids.add(existing);
  else if (await vendors.link(uniqueId, SOURCE, uniqueId).catch(instead('not_found', undefined))) ids.add(uniqueId);
}

/**
 * Writes a row to the service, or deletes its vendor. The condition protects a change that this program has not seen.
 * @returns the vendor, which the server may have cleaned; undefined after a deletion; 'changed' if the condition failed
 * @throws InvalidRow if the server rejects the fields
 */
export async function writeVendor(
  id: string,
  row: Fields | undefined,
  expected: Base | undefined,
): Promise<Base | undefined | 'changed'> {
  try {
    if (row === undefined) {
      await vendors.deleteByExternalId(SOURCE, id, { ifMatch: expected?.etag });
      return undefined;
    }
    const status = STATUSES.find((value) => value === row.status);
    if (status === undefined) throw new InvalidRow(`${id}: status: expected ${STATUSES.join(', ')}`);
    const condition = expected ? { ifMatch: expected.etag } : { ifNoneMatch: '*' as const };
    const { item } = await vendors.upsert(SOURCE, id, { ...row, status }, { ...condition, recreate: true });
    return toBase(item);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') throw new InvalidRow(`${id}: ${error.message}`);
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    return instead('precondition_failed', 'changed' as const)(error);
  }
}
export class InvalidRow extends Error {}
