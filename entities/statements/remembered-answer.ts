import { NO_FRAMEWORK } from '../audit-event.ts';
import { reading, statement } from '../database/statement.ts';
import { REMEMBERED_HOURS } from '../remembered-answer.ts';

/** Answers that one statement removes at most: so few that nobody waits for it. */
export const FORGOTTEN_AT_ONCE = 1000;

/** What went out, without what each answer has of its own. */
export interface Remembered {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** Whether nobody else is working on a request of this key and name; if so, nobody will until the transaction ends. */
export const claimName = statement<{ name: Buffer }, { free: boolean }>(
  'remembered-answer.claim',
  `select pg_try_advisory_xact_lock(hashtextextended(
    'idempotency ' || (:company::int)::text || ' ' || (:key::uuid)::text || ' ' || encode(:name::bytea, 'hex'), 0)) as free`,
);

interface Found extends Remembered {
  /** Whether it answers the same request. */
  same: boolean;
  /** The framework of the task that the path names; null where it names none. */
  framework: number | null;
}

/** The answer given under a name. A statement of its own, so that it sees what was committed before the name was free. */
export const findAnswer = reading<{ name: Buffer; fingerprint: Buffer; resource: string }, Found>(
  'remembered-answer.find',
  `select a.status, a.headers, a.body, a.fingerprint = :fingerprint as same, (
    select e.framework_id from audit_event e
    where e.company_id = :company and e.resource_type = 'task' and e.resource_id = :resource
      and e.framework_id <> ${NO_FRAMEWORK} limit 1) as framework
  from remembered_answer a
  where a.company_id = :company and a.api_key_id = :key and a.name = :name
    and a.created_at > now() - interval '${REMEMBERED_HOURS} hours'`,
);

/** Keeps an answer in the place of one that has expired and is still there. */
export const rememberAnswer = statement<Remembered & { name: Buffer; fingerprint: Buffer }, never>(
  'remembered-answer.insert',
  `insert into remembered_answer (company_id, api_key_id, name, fingerprint, status, headers, body)
  values (:company, :key, :name, :fingerprint, :status, :headers::jsonb, :body)
  on conflict (company_id, api_key_id, name) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at`,
);

/** Removes answers that have expired, of whichever company; those that another process is removing are left to it. */
export const forgetAnswers = statement<object, { forgotten: number }>(
  'remembered-answer.forget',
  `with gone as (
    delete from remembered_answer a using (
      select company_id, api_key_id, name from remembered_answer
      where created_at <= now() - interval '${REMEMBERED_HOURS} hours'
      order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked) old
    where a.company_id = old.company_id and a.api_key_id = old.api_key_id and a.name = old.name
    returning 1)
  select count(*)::int as forgotten from gone`,
  'every company',
);
