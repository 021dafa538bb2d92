import { asOwner } from '../database/database.ts';
import type { TestCompany } from '../tenants/company.ts';

const WORDS = 'Review the access rights of all administrators of the production environment';

/** Writes the events of many tasks: a creation, five changes, and two files of evidence each. The tasks themselves are not there. */
export async function insertManyTasks(
  { id, framework, apiKey }: Pick<TestCompany, 'id' | 'framework' | 'apiKey'>,
  { tasks }: { tasks: number },
): Promise<void> {
  await asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    await run(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, parent_type, parent_id,
        framework_id, changes, request_id)
      select $1::int, uuid_v7(), now(), $2::uuid, e.type || '.' || e.verb, e.type, e.id, e.parent_type, e.parent_id, $3::int, e.changes, 'many'
      from (select number, '019a0000-0000-7000-8000-' || lpad(to_hex(number), 12, '0') as task,
          '019a0000-0000-7001-8000-' || lpad(to_hex(number), 12, '0') as first, '019a0000-0000-7002-8000-' || lpad(to_hex(number), 12, '0') as second
        from generate_series(1, $4::int) number) t
      cross join lateral (values
        (1, 'task', 'create', task, null, null, jsonb_build_object('unique_id', task, 'framework_id', $3::int, 'title', $5::text || ' ' || number,
          'description', repeat('Long text. ', 20), 'due_date', '2026-10-12', 'created_at', now(), 'created_by_id', $2::text, 'version', 1)),
        (2, 'task', 'update', task, null, null, '{"status": {"from": "todo", "to": "in_progress"}, "priority": {"from": 3, "to": 1}}'),
        (3, 'task', 'update', task, null, null, jsonb_build_object('description', jsonb_build_object('from', '', 'to', repeat('Long text. ', 20)))),
        (4, 'task', 'update', task, null, null, '{"due_date": {"from": "2026-10-12", "to": "2026-11-12"}, "start_date": {"from": null, "to": "2026-10-01"}}'),
        (5, 'evidence', 'create', first, 'task', task, jsonb_build_object('unique_id', first, 'kind', 'file', 'name', 'Export of the rights ' || number || '.pdf',
          'date', '2026-10-01', 'size', 120000, 'sha256', encode(sha256(first::bytea), 'hex'), 'version', 1)),
        (6, 'evidence', 'create', second, 'task', task, jsonb_build_object('unique_id', second, 'kind', 'file', 'name', 'Minutes of the meeting ' || number || '.pdf',
          'date', '2026-10-02', 'valid_until', '2027-10-02', 'size', 90000, 'sha256', encode(sha256(second::bytea), 'hex'), 'version', 1)),
        (7, 'task', 'update', task, null, null, '{"status": {"from": "in_progress", "to": "in_review"}}'),
        (8, 'task', 'update', task, null, null, '{"status": {"from": "in_review", "to": "done"}}')
      ) e (position, type, verb, id, parent_type, parent_id, changes)
      order by number, position`,
      id,
      apiKey.user.uniqueId,
      framework,
      tasks,
      WORDS,
    );
  });
}
