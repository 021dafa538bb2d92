import { beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { TASK_STATUSES } from '../../entities/task/task.ts';
import { createDemoCompany } from '../../procedures/demo/create.ts';
import { verifyPassword } from '../../procedures/sign-in/password.ts';
import { sql, database } from '../support/database/database.ts';
import { readFileContent } from '../support/demo/file-readers.ts';
import { makeProof } from '../support/proof/make.ts';
import { verifyBytes } from '../support/proof/run.ts';
import { createDemo, readAll, services, sha256 as digestOf } from '../support/demo/company.ts';
import type { TestDemo } from '../support/demo/company.ts';
import { callerForKey } from '../support/tenants/company.ts';
import { recorded } from '../support/tenants/samples.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

let demo: TestDemo;
beforeAll(async () => {
  demo = await createDemo();
});

describe('the content', () => {
  test('is three frameworks, 150 tasks in all states, 60 vendors, four members and two keys', async () => {
    const { caller, manage } = demo;
    const tasks = await caller.overview.tasks();
    expect(tasks.map(({ framework }) => framework.name)).toEqual(['ISO 27001', 'GDPR', 'SOC 2']);
    const counts = await sql<{ status: string; tasks: number }>(
      'select status, count(*)::int as tasks from task where company_id = $1 group by status',
      demo.id,
    );
    expect(counts.reduce((sum, { tasks: number }) => sum + number, 0)).toBe(150);
    expect(counts.map(({ status }) => status).toSorted()).toEqual([...TASK_STATUSES].toSorted());
    expect(Math.min(...counts.map(({ tasks: number }) => number))).toBeGreaterThan(1);
    expect(await caller.overview.vendors()).toEqual({ active: 56, inactive: 2, archived: 2 });
    expect((await manage.member.list()).map(({ role }) => role).toSorted()).toEqual([
      'admin',
      'auditor',
      'editor',
      'editor',
    ]);
    expect(await manage.apiKey.list()).toHaveLength(2);
  });

  test('has owners, comments, evidence, vendors, reviews, contracts and series', async () => {
    const [row] = await sql(
      `select
        (select count(*) > 100 from task where company_id = $1 and assignee_id is not null) as owners,
        (select count(*) > 100 from comment where company_id = $1) as comments,
        (select count(*) > 10 from comment where company_id = $1 and mentions <> '{}') as mentions,
        (select count(*) > 100 from evidence where company_id = $1) as evidence,
        (select count(*) > 5 from task where company_id = $1 and vendors <> '{}') as "taskVendors",
        (select count(*) > 25 from vendor where company_id = $1 and last_review is not null) as reviews,
        (select count(*) > 50 from vendor where company_id = $1 and contract_end is not null) as contracts,
        (select count(*) > 40 from task where company_id = $1 and previous is not null) as series`,
      demo.id,
    );
    expect(row).toEqual({
      owners: true,
      comments: true,
      mentions: true,
      evidence: true,
      taskVendors: true,
      reviews: true,
      contracts: true,
      series: true,
    });
  });

  test('has requirements in an outline, with reasons, owners, assessments, linked tasks, comments and evidence', async () => {
    const rows = await sql(
      `select f.name, f.owner_id is not null and f.audit_date > now() as audited, count(*) between 25 and 40 as requirements,
        count(*) filter (where not r.assessable) > 3 as headings, count(*) filter (where r.parent is null) < 12 as outline,
        count(*) filter (where not r.applicable) > 0 as excluded, count(*) filter (where r.justification = '') as unjustified,
        count(*) filter (where r.assessable and r.owner_id is null) as unowned,
        count(distinct r.assessment->>'result') as results, count(*) filter (where r.applicable and r.assessable and r.assessment is null) > 0 as open
       from requirement r join framework f on f.company_id = r.company_id and f.id = r.framework_id
       where r.company_id = $1 group by f.id, f.name, f.owner_id, f.audit_date order by f.id`,
      demo.id,
    );
    expect(rows.map(({ name }) => name)).toEqual(['ISO 27001', 'GDPR', 'SOC 2']);
    const whole = { audited: true, requirements: true, headings: true, outline: true, excluded: true, open: true };
    for (const row of rows) expect(row).toMatchObject({ ...whole, unjustified: '0', unowned: '0', results: '3' });
    const [counts] = await sql(
      `select
        (select count(*) from task t where t.company_id = $1 and t.requirements = '{}'
          and t.external_ids = '[]'
          and t.created_by_id in (select unique_id from member where company_id = $1)) as unlinked,
        (select count(distinct t.unique_id) > 30 from task t join task_requirement l on l.company_id = $1 and l.task_id = t.unique_id
          join requirement r on r.company_id = $1 and r.unique_id = l.requirement_id and r.framework_id <> t.framework_id
          where t.company_id = $1) as across,
        (select count(*) > 10 from comment where company_id = $1 and requirement_id is not null) as comments,
        (select count(*) > 10 from evidence where company_id = $1 and requirement_id is not null) as evidence,
        (select count(distinct date_trunc('month', occurred_at)) > 9 from audit_event
          where company_id = $1 and action = 'requirement.assess') as months`,
      demo.id,
    );
    expect(counts).toEqual({ unlinked: '0', across: true, comments: true, evidence: true, months: true });
  });

  test('has gaps with a requirement, an owner and a due date, and closed ones', async () => {
    const gaps = await demo.manage.gap.list();
    expect(gaps.length).toBeGreaterThan(10);
    expect(gaps.filter(({ requirement, owner, dueDate }) => [requirement, owner, dueDate].includes(null))).toEqual([]);
    expect(new Set(gaps.map(({ status }) => status))).toEqual(new Set(['open', 'closed']));
  });

  test('has an import with errors and a webhook endpoint', async () => {
    const { items } = await demo.caller.import.list();
    expect(items).toMatchObject([{ state: 'done', rows: 16, created: 12, failed: 4 }]);
    const { items: endpoints } = await demo.caller.webhook.list({});
    expect(endpoints).toMatchObject([{ enabled: true, events: ['vendor.*'] }]);
  });

  test('of files is valid: their bytes have the recorded digest, and readers find every part', async () => {
    const { caller } = demo;
    const types = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const page = await caller.evidence.listAll({ limit: 100, ...(cursor !== undefined && { cursor }) });
      for (const { uniqueId, kind, mediaType, sha256, size } of page.items) {
        if (kind === 'link') continue;
        const bytes = await readAll(await caller.evidence.content({ evidence: uniqueId }));
        expect({ size: bytes.length, sha256: digestOf(bytes) }).toEqual({ size, sha256 });
        expect(() => readFileContent(bytes)).not.toThrow();
        types.add(mediaType ?? '');
      }
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect([...types].toSorted()).toEqual(['application/pdf', 'image/png']);
  });
});

describe('the history', () => {
  test('covers a year, and its times ascend', async () => {
    const [row] = await sql<{ first: string; last: string; descending: number; months: number }>(
      `select min(occurred_at)::text as first, count(distinct date_trunc('month', occurred_at))::int as months,
        count(*) filter (where occurred_at < previous)::int as descending
       from (select occurred_at, lag(occurred_at) over (order by id) as previous from audit_event where company_id = $1) e`,
      demo.id,
    );
    expect(row).toMatchObject({ descending: 0 });
    expect(row?.months).toBeGreaterThanOrEqual(12);
    expect(Date.parse(row?.first ?? '')).toBeLessThan(Date.parse(daysAgo(365)));
  });

  test('has the times of rows: each equals that of its event', async () => {
    const rows = await sql<{ type: string; rows: number; different: number }>(
      `select type, count(*)::int as rows, count(*) filter (where created_at <> (
          select occurred_at from audit_event e where e.company_id = $1 and e.resource_id = r.id and e.action = type || '.create')
        or updated_at <> (
          select max(occurred_at) from audit_event e where e.company_id = $1 and e.resource_type = type and e.resource_id = r.id
        ))::int as different
       from (
        select 'task' as type, unique_id::text as id, created_at, updated_at from task where company_id = $1
        union all select 'vendor', unique_id::text, created_at, updated_at from vendor where company_id = $1
        union all select 'requirement', unique_id::text, created_at, updated_at from requirement where company_id = $1
        union all select 'comment', unique_id::text, created_at, updated_at from comment where company_id = $1
        union all select 'evidence', unique_id::text, created_at, updated_at from evidence where company_id = $1) r
       group by type order by type`,
      demo.id,
    );
    expect(rows.map(({ type, different }) => ({ type, different }))).toEqual(
      ['comment', 'evidence', 'requirement', 'task', 'vendor'].map((type) => ({ type, different: 0 })),
    );
  });

  test('has the times of reviews: the last one equals that of its event', async () => {
    const [row] = await sql(
      `select count(*) > 25 as reviews, count(*) filter (where (v.last_review->>'at')::timestamptz is distinct from (
          select max(e.occurred_at) from audit_event e where e.company_id = $1 and e.resource_id = v.unique_id::text
            and e.action = 'vendor.review'))::int as different
       from vendor v where v.company_id = $1 and v.last_review is not null`,
      demo.id,
    );
    expect(row).toEqual({ reviews: true, different: 0 });
  });

  test('has the times of assessments: the last one equals that of its event', async () => {
    const [row] = await sql(
      `select count(*) > 50 as assessed, count(*) filter (where (r.assessment->>'at')::timestamptz is distinct from (
          select max(e.occurred_at) from audit_event e where e.company_id = $1 and e.resource_id = r.unique_id::text
            and e.action = 'requirement.assess'))::int as different
       from requirement r where r.company_id = $1 and r.assessment is not null`,
      demo.id,
    );
    expect(row).toEqual({ assessed: true, different: 0 });
  });

  test('is intact', async () => {
    expect(await demo.manage.audit.verify({})).toMatchObject({ intact: true, unsealed: 0 });
  });

  test('shows another state half a year ago, and the one of today today', async () => {
    const { caller } = demo;
    const [changed] = await sql<{ id: string }>(
      `select t.unique_id as id from task t where t.company_id = $1 and t.status = 'done' and t.created_at < $2::timestamptz
        and exists (select from audit_event e where e.company_id = $1 and e.resource_id = t.unique_id::text
          and e.changes #>> '{status,to}' = 'done' and e.occurred_at > $2::timestamptz) limit 1`,
      demo.id,
      daysAgo(182),
    );
    const taskUniqueId = changed?.id ?? '';
    const past = await caller.task.get({ taskUniqueId, asOf: daysAgo(182) });
    const today = recorded(await caller.task.get({ taskUniqueId }));
    expect(['todo', 'in_progress', 'in_review']).toContain(past.status);
    expect(past.updatedAt < daysAgo(182)).toBe(true);
    expect(today.status).toBe('done');
    expect(await caller.task.get({ taskUniqueId, asOf: daysAgo(0) })).toMatchObject(today);
    const [vendor] = await sql<{ id: string; at: string }>(
      `select unique_id as id, last_review->>'at' as at from vendor where company_id = $1 and last_review is not null limit 1`,
      demo.id,
    );
    const reviewed = await caller.vendor.get({ vendor: vendor?.id ?? '', asOf: daysAgo(0) });
    expect(reviewed.lastReview).toMatchObject({ at: vendor?.at });
    expect(Date.parse(vendor?.at ?? '')).toBeLessThan(Date.now() - DAY_MS / 2);
  });

  test('of the last 90 days has numbers of tasks that change', async () => {
    const days = await demo.caller.overview.taskHistory();
    expect(days).toHaveLength(90);
    const done = days.map(({ counts }) => counts.done);
    expect(done[0]).toBeGreaterThan(10);
    expect(done.at(-1)).toBeGreaterThan((done[0] ?? 0) + 10);
    expect(new Set(done).size).toBeGreaterThan(10);
  });

  test('is proved by a proof that holds', async () => {
    const { uniqueId } = await demo.caller.proof.create({});
    await makeProof(demo.id);
    const result = await verifyBytes(await readAll(await demo.caller.proof.content({ proof: uniqueId })));
    expect(result).toMatchObject({ counts: { tasks: 150, vendors: 60, requirements: 106 }, missing: [] });
  });
});

describe('the members', () => {
  test('sign in with the passwords that were shown, and only hashes of them are stored', async () => {
    for (const { email, password } of demo.members) {
      const [person] = await sql<{ password: string }>('select password from person where email = $1', email);
      expect(await verifyPassword(password, person?.password ?? null)).toBe(true);
      expect(person?.password).not.toContain(password);
    }
  });

  test('have no session, get no mails, and find the last items of the inbox unread', async () => {
    const people = await sql(
      `select (select count(*)::int from web_session s where s.person_id = p.unique_id) as sessions, p.mail_assigned, p.mail_summary
       from person p join member m on m.person_id = p.unique_id where m.company_id = $1`,
      demo.id,
    );
    const quiet = { sessions: 0, mail_assigned: false, mail_summary: false };
    expect(people).toEqual([quiet, quiet, quiet, quiet]);
    const { unread } = await demo.caller.inbox.count();
    expect(unread).toBeGreaterThan(0);
    expect(unread).toBeLessThan(13);
  });
});

test('the keys work', async () => {
  const [first] = demo.keys;
  const vendors = await (await callerForKey(first?.key ?? '')).vendor.list({});
  expect(vendors).toHaveLength(60);
});

test('a second company with the name is an error and changes nothing', async () => {
  const before = await sql('select count(*)::int as events from audit_event');
  const companies = await sql('select count(*)::int as companies from company');
  const again = createDemoCompany(new Session(database, null, 'test'), services, demo.name);
  await expect(again).rejects.toThrow(`company: ${demo.name} exists already, with the id ${demo.id}`);
  expect(await sql('select count(*)::int as companies from company')).toEqual(companies);
  expect(await sql('select count(*)::int as events from audit_event')).toEqual(before);
});
