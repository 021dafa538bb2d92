import { Client } from 'pg';
import type { OwnerQuery } from '../../database/driver.ts';
import { openPglite } from '../../database/pglite/open.ts';

/** What the rows belong to. */
export interface SeededFramework {
  company: number;
  framework: number;
  tasks: number;
  /** Events of each task, at least 10. */
  events: number;
}

/** Days over which the events of a task are spread; the last one is today. */
export const HISTORY_DAYS = 400;
const REQUIREMENTS = 1000;
const SEAL_BATCH = 1000;

/** SQL of the uniqueId of row `i` of a kind. */
const id = (kind: string, i = 'i') =>
  `overlay(overlay(md5('${kind}:' || ${i}) placing '7' from 13) placing '8' from 17)::uuid`;

/** SQL of the status of task `i` after step `k`: half of them are closed at the end, and some were reopened. */
const statusAfter = (k: string) => `case when ${k} < 2 then 'todo' when ${k} < 5 then 'in_progress'
    when ${k} < 6 or i % 2 = 0 then 'in_review' when ${k} = 8 and i % 6 = 1 then 'in_progress' else 'done' end`;
const dueAfter = (k: string) => `(date '2026-01-01' + i % 400 + case when ${k} < 3 then 0 else 20 end)`;
const USER = `(select u.unique_id from company_user u where u.company_id = $1 and u.kind = 'human' limit 1)`;
/** SQL of the place of row `i` among the events of a step. */
const PLACE = 'i * 37 % 1000';
const HAS_EVIDENCE = 'i % 4 = 1';
const ASSESSMENTS = [
  { after: 4, assessment: { result: 'not_met' } },
  { after: 9, assessment: { result: 'met' } },
];
const DESCRIPTION = 'Check with the owner of each system who has access, and remove what is no longer needed. '.repeat(
  3,
);

/** Inserts the tasks, requirements and evidence of a framework with their events, without triggers, and seals the events. */
async function insertRows(query: OwnerQuery, { company, framework, tasks, events }: SeededFramework): Promise<void> {
  await query('set local session_replication_role = replica');
  await query(`update company set created_at = now() - interval '${HISTORY_DAYS + 1} days' where id = $1`, [company]);
  const at = (k: string) =>
    `now() - interval '${HISTORY_DAYS} days' + interval '${HISTORY_DAYS} days' * (${k} + (${PLACE}) / 1000.0) / ${events}`;
  const last = String(events - 1);
  await query(
    `insert into task (company_id, unique_id, framework_id, title, description, due_date, status, created_at, updated_at, created_by_id,
      updated_by_id, version)
    select $1, ${id('task')}, $2, 'Review access rights ' || i, '${DESCRIPTION}', ${dueAfter(last)}, ${statusAfter(last)}, ${at('0')},
      ${at(last)}, ${USER}, ${USER}, ${events} from generate_series(1, $3::int) i`,
    [company, framework, tasks],
  );
  await query(
    `insert into task_count (company_id, framework_id, slot, tasks, todo, in_progress, in_review, done)
    select company_id, framework_id, 0, count(*), 0, 0, count(*) filter (where status = 'in_review'), count(*) filter (where status = 'done')
    from task where company_id = $1 and framework_id = $2 group by 1, 2`,
    [company, framework],
  );
  await query(
    `insert into requirement (company_id, unique_id, framework_id, ref, title, position, ref_order, assessment, created_at, updated_at,
      created_by_id, updated_by_id, version)
    select $1, ${id('requirement')}, $2, 'R' || i, 'Requirement ' || i, i, lpad(i::text, 50, '0'),
      jsonb_build_object('result', 'met', 'note', '', 'at', now(), 'by', ${USER}), ${at('0')}, ${at(last)}, ${USER}, ${USER}, 3
    from generate_series(1, ${REQUIREMENTS}) i`,
    [company, framework],
  );
  await query(
    `insert into evidence (company_id, unique_id, task_id, kind, url, name, date, valid_until, framework_id, created_at, updated_at,
      created_by_id, updated_by_id)
    select $1, ${id('evidence')}, ${id('task')}, 'link', 'https://wiki.example.com/' || i, 'Review ' || i, date '2026-01-01',
      case when i % 3 = 1 then now()::date + i % 100 - 30 end, $2, ${at('6')}, ${at('6')}, ${USER}, ${USER}
    from generate_series(1, $3::int) i where ${HAS_EVIDENCE}`,
    [company, framework, tasks],
  );
  const created = (type: string) =>
    `(select to_jsonb(r) - '{company_id}'::text[] from ${type} r where r.company_id = $1 and r.unique_id = ${id(type)})`;
  const eachTask = 'generate_series(1, $3::int) i';
  const eachRequirement = `generate_series(1, ${REQUIREMENTS} + 0 * $3::int) i`;
  for (let step = 0; step < events; step += 1) {
    const k = String(step);
    const insert = (type: string, verb: string, given: { changes: string; rows: string; parent?: string }) =>
      query(insertEvents(type, verb, { ...given, time: at(k) }), [company, framework, tasks]);
    const assessed = ASSESSMENTS.findIndex(({ after }) => after === step);
    if (step === 0) {
      const firstValues = `jsonb_build_object('status', 'todo', 'due_date', ${dueAfter('0')}, 'version', 1)`;
      await insert('task', 'create', { changes: `${created('task')} || ${firstValues}`, rows: eachTask });
      const unassessed = `${created('requirement')} || '{"assessment": null, "version": 1}'`;
      await insert('requirement', 'create', { changes: unassessed, rows: eachRequirement });
      continue;
    }
    const title = `jsonb_build_object('title', jsonb_build_object('from', 'Review', 'to', 'Review access rights ' || i))`;
    const changes = `case when ${statusAfter(k)} <> ${statusAfter(`${k} - 1`)} then ${fromTo('status', statusAfter, k)}
      when ${step} = 3 then ${fromTo('due_date', dueAfter, k)} else ${title} end`;
    await insert('task', 'update', { changes, rows: eachTask });
    if (assessed >= 0) {
      const values = { from: ASSESSMENTS[assessed - 1]?.assessment ?? null, to: ASSESSMENTS[assessed]?.assessment };
      const assessment = `'${JSON.stringify({ assessment: values })}'::jsonb`;
      await insert('requirement', 'assess', { changes: assessment, rows: eachRequirement });
    }
    if (step === 6)
      await insert('evidence', 'create', {
        changes: created('evidence'),
        rows: `${eachTask} where ${HAS_EVIDENCE}`,
        parent: `'task', ${id('task')}::text`,
      });
  }
}

/** SQL of events of a step, in the order of their times. */
const insertEvents = (
  type: string,
  verb: string,
  { changes, rows, parent = 'null, null', time }: { changes: string; rows: string; parent?: string; time: string },
) => `insert into audit_event (company_id, unique_id, occurred_at, user_id, user_kind, action, resource_type, resource_id, framework_id,
    parent_type, parent_id, changes, request_id)
  select $1, uuid_v7(), ${time}, ${USER}, 'human', '${type}.${verb}', '${type}', ${id(type)}, $2, ${parent}, ${changes}, 'seed'
  from ${rows} order by ${PLACE}, i`;

/** SQL of the change of a column in a step. */
const fromTo = (column: string, valueAfter: (k: string) => string, k: string) =>
  `jsonb_build_object('${column}', jsonb_build_object('from', ${valueAfter(`${k} - 1`)}, 'to', ${valueAfter(k)}))`;

/** Seals the events as if they had come one by one. */
async function seal(query: OwnerQuery, company: number): Promise<void> {
  for (let sealed = SEAL_BATCH; sealed === SEAL_BATCH;) {
    const [row] = await query<{ sealed: number }>('select seal_audit_log($1, $2)::int as sealed', [
      company,
      SEAL_BATCH,
    ]);
    sealed = row?.sealed ?? 0;
  }
}

/** Runs work of the owner of the tables of a database that no service uses. @param target URL, or folder of an embedded one */
export async function asOwner(
  target: { url: string } | { folder: string },
  works: ((query: OwnerQuery) => Promise<void>)[],
): Promise<void> {
  if ('folder' in target) {
    const database = await openPglite(target.folder);
    for (const work of works) await database.embedded?.owner.transaction(work);
    await database.close();
    return;
  }
  const client = new Client({ connectionString: target.url });
  await client.connect();
  for (const work of works) {
    await client.query('begin');
    await work(async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(text, [...values]);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each caller declares the type of its rows
      return rows as Row[];
    });
    await client.query('commit');
  }
  await client.end();
}

export const seed = (target: Parameters<typeof asOwner>[0], framework: SeededFramework): Promise<void> =>
  asOwner(target, [
    (query) => insertRows(query, framework),
    async (query) => void (await query('analyze')),
    (query) => seal(query, framework.company),
    async (query) => {
      // As if the inboxes had read the events when they came.
      await query(
        `insert into inbox_reader (company_id, position) select company_id, max(seq) from audit_seal where company_id = $1 group by 1
        on conflict (company_id) do update set position = excluded.position`,
        [framework.company],
      );
      await query('analyze');
    },
  ]);
