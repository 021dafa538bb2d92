import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { TASK_FIELD_SORTS } from '../entities/task/list.ts';
import type { TaskSort } from '../entities/task/list.ts';
import { createCaller } from '../procedures/index.ts';
import { createAuthentication } from '../server/auth/authenticate.ts';
import { loadSettings } from '../server/config/settings.ts';

// Compares a page of 100 tasks of all frameworks in a company with 1,000 tasks and in one with 1,000,000, each in 20 frameworks, for
// a key with all frameworks and for one with three. One run, without HTTP. Requires an empty database and a superuser:
// DATABASE_URL=postgresql://… npm run bench:task-lists.

const SIZES = [1000, 1_000_000] as const;
const FRAMEWORKS = 20;
const LIMITED = 3;
const ROUNDS = 300;
const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-0123456789';

const { databaseUrl, migrationDatabaseUrl: ownerUrl = databaseUrl, pooler } = loadSettings();
if (databaseUrl === undefined || ownerUrl === undefined) throw new Error('DATABASE_URL: required');
const owner = new Client({ connectionString: ownerUrl });
await owner.connect();
const database = await openPostgreSql(databaseUrl, { ownerUrl, pooler });
try {
  await database.migrate();
  const companies = [];
  for (const size of SIZES) companies.push(await createCompany(size));
  await owner.query('vacuum analyze');
  for (const principal of ['all', 'limited'] as const)
    for (const sort of TASK_FIELD_SORTS)
      await compare(
        `${principal}, ${sort}`,
        companies.map((keys) => keys[principal](sort)),
      );
} finally {
  await database.close();
  await owner.end();
}

/** Runs the same page of each company in turn. Prints the medians in milliseconds, and their ratio. */
async function compare(name: string, pages: (() => Promise<unknown>)[]): Promise<void> {
  const timesMs: number[][] = pages.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, page] of pages.entries()) {
      const start = performance.now();
      await page();
      timesMs[index]?.push(performance.now() - start);
    }
  }
  const [small = Number.NaN, large = Number.NaN] = timesMs.map((times) => times.toSorted((a, b) => a - b)[ROUNDS / 2]);
  process.stdout.write(`${name}: ${small.toFixed(2)} ${large.toFixed(2)} ms, ratio ${(large / small).toFixed(2)}\n`);
}

function asOperator(session: Session<ReturnType<typeof operatorPrincipal> | null>) {
  return createCaller({ requestId: 'lists', caller: 'operator', address: null, session }).management;
}

/** A company with `size` tasks, and its pages for a key with all frameworks and for one with some. */
async function createCompany(size: number) {
  const { id } = await asOperator(new Session(database, null, 'lists')).company.create({ name: `${size} tasks` });
  const manage = asOperator(new Session(database, operatorPrincipal(id), 'lists'));
  const frameworks: number[] = [];
  for (let index = 0; index < FRAMEWORKS; index++)
    frameworks.push((await manage.framework.create({ name: `Framework ${index}` })).id);
  const all = await manage.apiKey.create({ name: 'All' });
  const limited = await manage.apiKey.create({ name: 'Limited', frameworks: frameworks.slice(0, LIMITED) });
  await insertTasks(id, frameworks, all.user.uniqueId, size);
  const pagesOf = async (key: string) => {
    const authenticate = createAuthentication(database, OPERATOR_TOKEN).apiKey;
    const { context } = await authenticate({ headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'lists' });
    const { task } = createCaller({ ...context, session: context.session.withoutDeadline() });
    return (sort: TaskSort) => () => task.listAll({ limit: 100, sort });
  };
  return { all: await pagesOf(all.key), limited: await pagesOf(limited.key) };
}

/** Inserts tasks without triggers, half of them with an assignee, and their counters. */
async function insertTasks(company: number, frameworks: number[], user: string, size: number): Promise<void> {
  const values = `${company} as company_id, ('{${frameworks.join(',')}}'::int[])[1 + i % ${FRAMEWORKS}] as framework_id`;
  await owner.query(
    [
      'begin; set local session_replication_role = replica',
      `with made as (insert into person (unique_id, email, name) select uuid_v7(), 'member@${company}.example', 'Member' returning unique_id),
      named as (insert into company_user (company_id, unique_id, kind, name) select ${company}, unique_id, 'human', 'Member' from made returning unique_id)
    insert into member (company_id, unique_id, person_id, role) select ${company}, unique_id, unique_id, 'admin' from made`,
      `insert into task (company_id, framework_id, unique_id, title, description, priority, due_date, updated_at, assignee_id,
        created_by_id, updated_by_id)
      select ${values}, uuid_v7(), 'Task ' || i, 'Check who has access and remove what is no longer needed.', 1 + i % 4,
        case when i % 5 > 0 then date '2026-01-01' + (i % 3650) end, now() - i * interval '1 second',
        case when i % 2 = 0 then (select unique_id from member where company_id = ${company}) end, '${user}', '${user}'
      from generate_series(1, ${size}) i`,
      `insert into task_count (company_id, framework_id, slot, tasks, todo)
      select company_id, framework_id, 0, count(*), count(*) from task where company_id = ${company} group by 1, 2`,
      'commit',
    ].join(';\n'),
  );
}
