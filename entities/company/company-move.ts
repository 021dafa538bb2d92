import { defineEntity, p } from '@mikro-orm/core';
import { MAX_URL_LENGTH } from './company.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { forbidTrigger } from '../schema/triggers.ts';

/** A company leaves this cell, or arrives in it. */
const MOVE_DIRECTIONS = ['out', 'in'] as const;

/**
 * Steps of a move. The cell that the company leaves goes through `copying`, `switched`, and `ended` once the other one serves the
 * company; the other one through `arriving`, `complete`, `serving`. `aborted` ends a move in both.
 */
const MOVE_STATES = ['copying', 'switched', 'ended', 'arriving', 'complete', 'serving', 'aborted'] as const;
export type MoveState = (typeof MOVE_STATES)[number];

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
