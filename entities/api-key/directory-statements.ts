import { isServed } from '../company/closing.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** Position of a key in the directory, which is ordered by both. */
interface KeyPosition {
  afterCompany: number;
  afterKey: string;
}

/** Secrets of a key that a router sends here, as the hexadecimal digits of their SHA-256; null for those that end or have ended. */
export interface DirectoryRow {
  company: number;
  key: string;
  hash: string | null;
  previousHash: string | null;
}

/** Keys that a router sends here: those that are served and not revoked. Disabled and expired ones too, as their error is made here. */
const IS_LISTED = `k.revoked_at is null and ${isServed('k.company_id')}`;

const POSITION = 'k.company_id, k.unique_id';

const isAfter = ({ afterCompany, afterKey }: Placeholders<KeyPosition>) =>
  `(${POSITION}) > (${afterCompany}::int, ${afterKey}::uuid)`;

const columns = (hash: string, previousHash: string) => `k.company_id as company, k.unique_id as key,
  ${hash} as hash, ${previousHash} as "previousHash"`;

const HASH = `encode(k.hash, 'hex')`;
const PREVIOUS_HASH = `case when k.previous_hash_expires_at > now() then encode(k.previous_hash, 'hex') end`;

// The statements below read system columns and the snapshot, so they run on the primary.

/** Listed keys, ordered by company and key, which no rotation changes. `lastCompany` is the last company to list. */
export const listDirectory = readStatement<KeyPosition & { lastCompany: number; limit: number }, DirectoryRow>(
  'directory.list',
  (placeholders) => `select ${columns(HASH, PREVIOUS_HASH)} from api_key k
  where ${isAfter(placeholders)} and k.company_id <= ${placeholders.lastCompany}::int and ${IS_LISTED}
  order by ${POSITION} limit ${placeholders.limit}`,
  'all companies',
);

/** A moment before which every change is known. */
export interface DirectoryMoment {
  /** Oldest transaction whose writes may be unknown: every later change of a row has this `xmin` or a newer one. */
  xid: string;
  at: string;
}

/**
 * SQL: the row was written by this transaction or a newer one. A row that was written 2^31 transactions ago has a negative age. The
 * sub-select is evaluated once.
 */
const isWrittenSince = (row: string, xid: string) =>
  `(age(${row}.xmin) <= (select age(${xid}::xid)) and age(${row}.xmin) >= 0)`;

/** This moment, and the companies whose state has changed since another one, erased companies included. */
export const directoryMoment = readStatement<{ xid: string | null }, DirectoryMoment & { companies: number[] }>(
  'directory.moment',
  ({ xid }) => `select pg_snapshot_xmin(pg_current_snapshot())::xid::text as xid, now() as at,
    array(select c.id from company c where ${isWrittenSince('c', xid)}
      union select e.id from erased_company e where ${isWrittenSince('e', xid)}) as companies`,
  'all companies',
);

/**
 * Keys that have changed since a moment, listed or not, some of them without a change of their secrets. Scans the keys: an index for it
 * would cost every write of a key.
 */
export const changedDirectory = readStatement<KeyPosition & DirectoryMoment & { limit: number }, DirectoryRow>(
  'directory.changed',
  (placeholders) => `with k as materialized (
    select k.*, ${IS_LISTED} as is_listed from api_key k where ${isWrittenSince('k', placeholders.xid)}
      or (k.previous_hash_expires_at > ${placeholders.at}::timestamptz and k.previous_hash_expires_at <= now()))
  select ${columns(`case when is_listed then ${HASH} end`, `case when is_listed then ${PREVIOUS_HASH} end`)}
  from k where ${isAfter(placeholders)} order by ${POSITION} limit ${placeholders.limit}`,
  'all companies',
);
