import { ApiError } from '../api-error.ts';
import { COMPANY_COLUMNS } from './statements.ts';
import type { CompanyRow } from './statements.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Seconds after which a client may repeat a request that a frozen company rejected. */
const RETRY_AFTER_SECONDS = 5;

/** SQLSTATE of the triggers `audit_row` and `require_unfrozen`. */
export const FROZEN_SQLSTATE = 'FZ001';

/** A write in a frozen company. The service works, so there is no cause to log. */
export class FrozenError extends ApiError {
  constructor() {
    super('unavailable', 'The company is being moved to another cell. Try again shortly.', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
    this.name = 'FrozenError';
  }
}

interface CompanyToFreeze {
  closedAt: string | null;
  /** Time at which an erase began; null without one. */
  erasingAt: string | null;
  /** URL of the cell that has the company since a move. */
  movedTo: string | null;
  arrivingAt: string | null;
  frozenAt: string | null;
}

/** Locks the company of the session until the end of the transaction. Writes of its rows do not wait for the lock. */
export const lockToFreeze = defineStatement<object, CompanyToFreeze>(
  'company.lock-to-freeze',
  ({
    company,
  }) => `select closed_at as "closedAt", erasing_at as "erasingAt", moved_to as "movedTo", arriving_at as "arrivingAt",
    frozen_at as "frozenAt"
  from company where id = ${company} for no key update`,
);

/** Freezes or unfreezes the company of the session. No row if it is frozen or unfrozen already. */
export const setFrozen = defineStatement<{ frozen: boolean }, CompanyRow>(
  'company.set-frozen',
  ({ company, frozen }) => `update company set frozen_at = case when ${frozen}::boolean then now() end
  where id = ${company} and (frozen_at is not null) <> ${frozen} returning ${COMPANY_COLUMNS}`,
);

/** Lets the transaction write in a frozen company. Call it only in a transaction that is rolled back. */
export const beginDryRun = defineStatement<object, never>(
  'company.begin-dry-run',
  `select set_config('app.dry_run', 'on', true)`,
);

/** True if the company of the session is frozen. */
export const companyIsFrozen = readStatement<object, { frozen: boolean }>(
  'company.is-frozen',
  ({ company }) => `select frozen_at is not null as frozen from company where id = ${company}`,
);

/** True if a move of a company to another cell has begun. */
export const isBeingMoved = readStatement<{ id: number }, { moving: boolean }>(
  'company.is-being-moved',
  ({ id }) => `select exists (select from company_move
    where id = ${id} and direction = 'out' and state in ('copying', 'switched')) as moving`,
  'all companies',
);

/** Time of the database. */
export const readClock = readStatement<object, { at: string }>('company.clock', 'select clock_timestamp()::text as at');

/**
 * True while a transaction is open that began by a time, so that it may not see what was committed before. The service sees the
 * transactions of its own role, which are those that write rows of companies.
 */
export const hasTransactionsFrom = readStatement<{ at: string }, { exists: boolean }>(
  'company.has-transactions-from',
  ({
    at,
  }) => `select exists (select from pg_stat_activity a where a.datname = current_database() and a.usename = current_user
    and a.pid <> pg_backend_pid() and a.xact_start <= ${at}::timestamptz) as exists`,
);
