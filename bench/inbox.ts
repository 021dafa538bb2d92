import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { addMember } from './member.ts';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { SEAL_BATCH_SIZE, sealAuditLog } from '../entities/audit/seal-statements.ts';
import { insertCompany } from '../entities/company/statements.ts';
import { addInboxReaders, fanOutItems } from '../entities/inbox/fan-out.ts';
import { loadSettings } from '../server/config/settings.ts';

// Benchmark of the inboxes: a company with 1,000 members, tasks that five of them watch, and events that make items: half
// change the status, a quarter are comments, a quarter assignments. Prints events and items per second of one process.
// Run with DATABASE_URL=postgresql://… npm run bench:inbox. The role must own the tables. It takes about two minutes.

const { values: options } = parseArgs({
  options: {
    members: { type: 'string', default: '1000' },
    tasks: { type: 'string', default: '10000' },
    events: { type: 'string', default: '100000' },
  },
});
const { databaseUrl } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const databaseName = `bench_inbox_${randomUUID().slice(0, 8)}`;
const url = new URL(databaseUrl);
url.pathname = `/${databaseName}`;
const admin = new Pool({ connectionString: databaseUrl, max: 1 });
await admin.query(`create database ${databaseName}`);
const database = await openPostgreSql(url.href);
const owner = new Pool({ connectionString: url.href, max: 1 });
try {
  await database.migrate();
  const session = new Session(database, null, 'bench');
  const { id: company } = await session.one(insertCompany, { name: 'Acme', idStart: 1 });
  const operator = session.asOperator(company);
  for (let index = 0; index < Number(options.members); index += 1)
    await addMember(database, company, `Member-${index}`);
  await addTasks(company);
  await seal(operator);
  await session.run(addInboxReaders, {});
  while ((await operator.one(fanOutItems, { hasMail: true })).moved);
  await addEvents(company);
  await owner.query('analyze');
  await measure('sealing', () => seal(operator));
  let items = 0;
  await measure('adding items', async () => {
    for (let moved = true; moved;) {
      const result = await operator.one(fanOutItems, { hasMail: true });
      ({ moved } = result);
      items += result.items;
    }
  });
  print(`${items} items`);
} finally {
  await owner.end();
  await database.close();
  await admin.query(`drop database ${databaseName}`);
  await admin.end();
}

/** Runs SQL as a member, as the trigger of the audit log requires. */
async function asMember(company: number, text: string, values: unknown[] = []): Promise<void> {
  await owner.query(
    `select set_config('app.company', $1, false), set_config('app.user', (select unique_id::text from member where company_id = $1::int limit 1), false)`,
    [String(company)],
  );
  await owner.query(text, values);
}

async function addTasks(company: number): Promise<void> {
  await asMember(company, `insert into framework (company_id, id, name) values (${company}, 1, 'ISO 27001')`);
  await asMember(
    company,
    `with numbered as (select unique_id, row_number() over () as place, count(*) over () as total from member where company_id = ${company}),
    added as (
      insert into task (company_id, unique_id, framework_id, title, assignee_id, created_by_id, updated_by_id)
      select ${company}, uuid_v7(), 1, 'Review ' || n, m.unique_id, current_setting('app.user')::uuid, current_setting('app.user')::uuid
      from generate_series(1, $1::int) n join numbered m on m.place = 1 + n % m.total returning unique_id),
    numbered_task as (select unique_id, row_number() over () as place from added)
    insert into comment (company_id, unique_id, task_id, text, framework_id, created_by_id, updated_by_id, mentions)
    select ${company}, uuid_v7(), t.unique_id, 'Look', 1, current_setting('app.user')::uuid, current_setting('app.user')::uuid,
      array(select m.unique_id from numbered m where m.place in (1 + (t.place * 7) % m.total, 1 + (t.place * 11) % m.total, 1 + (t.place * 13) % m.total))
    from numbered_task t`,
    [options.tasks],
  );
}

/** Adds events of one member without changing a row. */
async function addEvents(company: number): Promise<void> {
  await asMember(
    company,
    `with ids as (
      select array(select unique_id from task where company_id = ${company}) as tasks, array(select unique_id from member where company_id = ${company}) as people)
    insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, parent_type, parent_id, framework_id, changes, request_id)
    select ${company}, uuid_v7(), now(), current_setting('app.user')::uuid, kind.action, kind.type,
      case kind.type when 'comment' then gen_random_uuid() else t.id end, case kind.type when 'comment' then 'task' end,
      case kind.type when 'comment' then t.id end, 1,
      case when kind.type = 'comment' then '{"text": "Done?", "mentions": []}'
        when n % 4 = 2 then jsonb_build_object('assignee_id', jsonb_build_object('from', null, 'to', p.id))
        else '{"status": {"from": "todo", "to": "in_progress"}}' end, 'bench'
    from ids cross join generate_series(1, $1::int) n
    cross join lateral (select tasks[1 + n % cardinality(tasks)] as id) t cross join lateral (select people[1 + n % cardinality(people)] as id) p
    cross join lateral (select case n % 4 when 3 then 'comment' else 'task' end as type, case n % 4 when 3 then 'comment.create' else 'task.update' end as action) kind`,
    [options.events],
  );
}

async function seal(session: Session): Promise<void> {
  while ((await session.one(sealAuditLog, {})).sealed === SEAL_BATCH_SIZE);
}

async function measure(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  print(`${name}: ${seconds.toFixed(1)} s, ${Math.round(Number(options.events) / seconds)} events per second`);
}
