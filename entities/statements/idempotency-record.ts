import { NO_FRAMEWORK } from '../audit/event.ts';
import { readStatement, defineStatement } from './define-statement.ts';
import { IDEMPOTENCY_TTL_HOURS } from '../idempotency-record.ts';

/** Answers that one statement removes at most: so few that nobody waits for it. */
export const DELETE_BATCH_SIZE = 1000;

/** What went out, without what each answer has of its own. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** Whether nobody else is working on a request of this key and name; if so, nobody will until the transaction ends. */
export const lockIdempotencyKey = defineStatement<{ keyHash: Buffer }, { acquired: boolean }>(
  'idempotency-record.lock',
  ({ company, key, keyHash }) => `select pg_try_advisory_xact_lock(hashtextextended(
    'idempotency ' || (${company}::int)::text || ' ' || (${key}::uuid)::text || ' ' || encode(${keyHash}::bytea, 'hex'), 0)) as acquired`,
);

interface FoundRecord extends StoredResponse {
  /** Whether it answers the same request. */
  sameRequest: boolean;
  /** The framework of the task that the path names; null where it names none. */
  framework: number | null;
}

/** The answer given under a name. A statement of its own, so that it sees what was committed before the name was free. */
export const findRecord = readStatement<{ keyHash: Buffer; fingerprint: Buffer; resource: string }, FoundRecord>(
  'idempotency-record.find',
  ({
    fingerprint,
    company,
    resource,
    key,
    keyHash,
  }) => `select a.status, a.headers, a.body, a.fingerprint = ${fingerprint} as "sameRequest", (
    select e.framework_id from audit_event e
    where e.company_id = ${company} and e.resource_type = 'task' and e.resource_id = ${resource}
      and e.framework_id <> ${NO_FRAMEWORK} limit 1) as framework
  from idempotency_record a
  where a.company_id = ${company} and a.api_key_id = ${key} and a.key_hash = ${keyHash}
    and a.created_at > now() - interval '${IDEMPOTENCY_TTL_HOURS} hours'`,
);

/** Keeps an answer in the place of one that has expired and is still there. */
export const insertRecord = defineStatement<StoredResponse & { keyHash: Buffer; fingerprint: Buffer }, never>(
  'idempotency-record.insert',
  ({
    company,
    key,
    keyHash,
    fingerprint,
    status,
    headers,
    body,
  }) => `insert into idempotency_record (company_id, api_key_id, key_hash, fingerprint, status, headers, body)
  values (${company}, ${key}, ${keyHash}, ${fingerprint}, ${status}, ${headers}::jsonb, ${body})
  on conflict (company_id, api_key_id, key_hash) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at`,
);

/** Removes answers that have expired, of whichever company; those that another process is removing are left to it. */
export const deleteExpiredRecords = defineStatement<object, { deleted: number }>(
  'idempotency-record.delete-expired',
  `with deleted_rows as (
    delete from idempotency_record a using (
      select company_id, api_key_id, key_hash from idempotency_record
      where created_at <= now() - interval '${IDEMPOTENCY_TTL_HOURS} hours'
      order by created_at limit ${DELETE_BATCH_SIZE} for update skip locked) old
    where a.company_id = old.company_id and a.api_key_id = old.api_key_id and a.key_hash = old.key_hash
    returning 1)
  select count(*)::int as deleted from deleted_rows`,
  'all companies',
);
