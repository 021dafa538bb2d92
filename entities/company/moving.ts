import { defineEntity, p } from '@mikro-orm/core';
import { bookkeepingWrite, defineStatement, readStatement } from '../statements/define-statement.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { forbidTrigger } from '../schema/triggers.ts';
import { MAX_URL_LENGTH } from './company.ts';

/** A company leaves this cell, or arrives in it. */
const MOVE_DIRECTIONS = ['out', 'in'] as const;

/**
 * Steps of a move. The cell that the company leaves goes through `copying`, `switched`, and `ended` once the other one serves the
 * company; the other one through `arriving`, `complete`, `serving`. `aborted` ends a move in both.
 */
const MOVE_STATES = ['copying', 'switched', 'ended', 'arriving', 'complete', 'serving', 'aborted'] as const;
type MoveState = (typeof MOVE_STATES)[number];

/** Direction of a move with a state that it can have. */
export type MoveProgress =
  | { direction: 'out'; state: 'copying' | 'switched' | 'ended' | 'aborted' }
  | { direction: 'in'; state: 'arriving' | 'complete' | 'serving' | 'aborted' };

const companyMoveSchema = defineEntity({
  name: 'CompanyMove',
  properties: {
    /** Id of the company. Without a foreign key: the record stays after the company was erased here. */
    id: p.integer().primary().autoincrement(false),
    direction: p.enum(MOVE_DIRECTIONS),
    /** Name of the move, the same in both cells. */
    move: p.uuid(),
    state: p.enum(MOVE_STATES),
    /** URL of the other cell. */
    peer: p.string().length(MAX_URL_LENGTH),
    beganAt: p.datetime(3).defaultRaw('now()'),
    changedAt: p.datetime(3).defaultRaw('now()'),
    /** Head of the audit log at the switch: position and hash in hexadecimal digits. Null before. */
    sequence: p.bigint().nullable(),
    hash: p.string().length(64).nullable(),
  },
  ...crossCompanyOnly,
  checks: [
    {
      name: 'company_move_state',
      expression: `CASE direction WHEN 'out'::text THEN state = ANY (ARRAY['copying'::text, 'switched'::text, 'ended'::text, 'aborted'::text]) ELSE state = ANY (ARRAY['arriving'::text, 'complete'::text, 'serving'::text, 'aborted'::text]) END`,
    },
    { name: 'company_move_hash', expression: `hash::text ~ '^[0-9a-f]{64}$'::text` },
  ],
  triggers: [forbidTrigger('company_move', ['delete', 'truncate'])],
});

/** The last move of a company out of this cell or into it. With both cells' records it says which of them may write. */
export class CompanyMove extends companyMoveSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
companyMoveSchema.setClass(CompanyMove);

/** The last move of a company out of this cell, or into it. */
export type MoveRow = MoveProgress & MoveFields;

interface MoveFields {
  id: number;
  /** Name of the move. */
  move: string;
  /** URL of the other cell. */
  peer: string;
  beganAt: string;
  changedAt: string;
  sequence: number | null;
  hash: string | null;
}

const COLUMNS = `id, direction, move, state, peer, began_at as "beganAt", changed_at as "changedAt",
  sequence::float8 as sequence, hash`;

/** The last move of each company, or of one of them. */
export const listMoves = bookkeepingWrite<{ id: number | null }, MoveRow>(
  'move.list',
  ({ id }) => `select ${COLUMNS} from company_move where ${id}::int is null or id = ${id} order by id`,
  'all companies',
);

/** Finds the last move of a company, and keeps it until the end of the transaction. */
export const lockMove = defineStatement<{ id: number }, MoveRow>(
  'move.lock',
  ({ id }) => `select ${COLUMNS} from company_move where id = ${id} for update`,
  'all companies',
);

/** Records a new move in place of the last one. */
export const recordMove = defineStatement<MoveProgress & Pick<MoveFields, 'id' | 'move' | 'peer'>, MoveRow>(
  'move.record',
  ({ id, direction, move, state, peer }) => `insert into company_move (id, direction, move, state, peer)
  values (${id}, ${direction}, ${move}, ${state}, ${peer})
  on conflict (id) do update set direction = excluded.direction, move = excluded.move, state = excluded.state,
    peer = excluded.peer, began_at = now(), changed_at = now(), sequence = null, hash = null
  returning ${COLUMNS}`,
  'all companies',
);

/** Records a step of a move, and the head of the log that belongs to it. */
export const recordMoveState = defineStatement<
  { id: number; state: MoveState; sequence: number | null; hash: string | null },
  MoveRow
>(
  'move.record-state',
  ({ id, state, sequence, hash }) => `update company_move set state = ${state}, changed_at = now(),
    sequence = coalesce(${sequence}::bigint, sequence), hash = coalesce(${hash}, hash)
  where id = ${id} returning ${COLUMNS}`,
  'all companies',
);

/** State of a company in this cell. */
export interface CompanyPlace {
  name: string;
  isClosed: boolean;
  isFrozen: boolean;
  isArriving: boolean;
  /** URL of the cell that has the company; null if it is here. */
  movedTo: string | null;
}

const PLACE = `name, closed_at is not null as "isClosed", frozen_at is not null as "isFrozen",
  arriving_at is not null as "isArriving", moved_to as "movedTo"`;

/** Locks the company of the session until the end of the transaction. Writes of its rows do not wait for the lock. */
export const lockPlace = defineStatement<object, CompanyPlace>(
  'company.lock-place',
  ({ company }) => `select ${PLACE} from company where id = ${company} for no key update`,
);

/** Hands a frozen company over to another cell: from then on this one never writes it again. */
export const setMovedTo = defineStatement<{ url: string }, { id: number }>(
  'company.set-moved-to',
  ({ company, url }) =>
    `update company set moved_to = ${url} where id = ${company} and frozen_at is not null returning id`,
);

/** The row of the company, as a JSON object in text. */
export const readCompanyRow = bookkeepingWrite<object, { row: string }>(
  'move.read-company',
  ({ company }) => `select to_jsonb(c)::text as row from company c where id = ${company}`,
);

/** Estimates the bytes of a company: 1,200 for each event with what it changed (docs/scaling.md), and its files. */
export const estimateBytes = readStatement<object, { bytes: number }>(
  'move.estimate',
  ({ company }) => `select coalesce((select max(seq) from audit_seal where company_id = ${company}), 0)::float8 * 1200
    + coalesce((select sum(coalesce(large_size, size)) from file where company_id = ${company}), 0)::float8 as bytes`,
);

/** Confirmed domains of a company. */
export const listOwnDomains = readStatement<object, { domain: string }>(
  'move.domains',
  ({ company }) => `select domain from sso_domain where company_id = ${company}`,
);

/** Domains that a company of this cell has confirmed. */
export const findTakenDomains = readStatement<{ domains: readonly string[]; id: number }, { domain: string }>(
  'move.taken-domains',
  ({ domains, id }) =>
    `select domain from sso_domain where domain = any(${domains}::text[]) and company_id <> ${id} order by domain`,
  'all companies',
);

/** A company with an id, or the head of its log if it was erased. */
export const findOccupant = readStatement<
  { id: number },
  { isArriving: boolean; isMoved: boolean; erasedSequence: number | null; erasedHash: string | null }
>(
  'move.occupant',
  ({ id }) => `select arriving_at is not null as "isArriving", moved_to is not null as "isMoved",
    null::float8 as "erasedSequence", null as "erasedHash" from company where id = ${id}
  union all select false, false, sequence::float8, hash from erased_company where id = ${id}`,
  'all companies',
);

/** Size of the database, in bytes. */
export const databaseBytes = readStatement<object, { bytes: number }>(
  'move.database-bytes',
  'select pg_database_size(current_database())::float8 as bytes',
  'all companies',
);

/** Inserts the company of the session, which is not served before `endArrival`. See the migration `cells`. */
export const receiveCompany = defineStatement<{ row: string }, never>(
  'move.receive-company',
  ({ row }) => `select receive_company(${row}::text)`,
);

/** Inserts rows of the arriving company; those that are there already stay. */
export const receiveRows = bookkeepingWrite<{ table: string; rows: string }, { received: number }>(
  'move.receive-rows',
  ({ table, rows }) => `select receive_rows(${table}::text, ${rows}::text) as received`,
);

/** Deletes rows of the arriving company, which the move does not complete. */
export const discardRows = bookkeepingWrite<{ table: string; limit: number }, { discarded: number }>(
  'move.discard-rows',
  ({ table, limit }) => `select discard_rows(${table}::text, ${limit}::int) as discarded`,
);

/** Serves the company of the session from now on. It stays frozen. */
export const endArrival = defineStatement<object, never>('move.end-arrival', `select end_arrival()`);
