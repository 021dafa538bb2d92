import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { MAX_COMMENTS } from '../../entities/comment/comment.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { callManagement } from '../support/http/client.ts';
import { http } from '../support/http/server.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { isRunning, startService, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';

// On PostgreSQL a process is killed beside another one, which gets the writes. The embedded database is opened again after each kill.
const KILLS = ownerUrl === undefined ? 8 : 20;
const MEMBERS = ['ann', 'ben', 'cem'];
const PASSWORD = 'correct horse battery staple';

interface Member {
  name: string;
  email: string;
  cookie: string;
  uniqueId: string;
}

interface Page {
  items: { uniqueId: string; reason: string; resource: { uniqueId: string } }[];
  nextCursor: string | null;
}

async function createSettings(smtpUrl: string) {
  const settings = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: smtpUrl,
    SMTP_FROM: 'noreply@example.com',
    LOG_LEVEL: 'fatal',
  };
  if (ownerUrl === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'inbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { ...settings, DATA_DIR: join(folder, 'data') };
  }
  const scratch = await createMigratedDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { ...settings, DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

async function start(settings: Record<string, string>): Promise<ServiceProcess> {
  const service = await startService(settings);
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  return service;
}

/** Sends a tRPC request with the session of a member. */
async function asMember<Result>(url: string, { cookie }: Pick<Member, 'cookie'>, path: string, body?: object) {
  const response = await fetch(`${url}/trpc/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const { result } = (await response.json()) as { result: { data: Result } };
  return result.data;
}

async function joinCompany(url: string, company: number, name: string): Promise<Member> {
  const email = `${name}@example.com`;
  const { link } = await callManagement<{ link: string }>(
    url,
    'member.invite',
    { email, role: 'editor', showLink: true },
    company,
  );
  const response = await fetch(`${url}/session/invitation`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: link.slice(link.lastIndexOf('/') + 1), name, password: PASSWORD }),
  });
  const cookie = String(response.headers.get('set-cookie')).split(';', 1)[0] ?? '';
  const session = await fetch(`${url}/session`, { headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' } });
  const { member } = (await session.json()) as { member: string };
  return { name, email, cookie, uniqueId: member };
}

/** Ids of what a member hears of for a reason. */
async function inboxOf(url: string, member: Member, reason: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const input = encodeURIComponent(JSON.stringify({ limit: 100, ...(cursor !== undefined && { cursor }) }));
    const page = await asMember<Page>(url, member, `inbox.list?input=${input}`);
    ids.push(...page.items.filter((item) => item.reason === reason).map(({ resource }) => resource.uniqueId));
    cursor = page.nextCursor;
  }
  return ids.toSorted();
}

/** Every page of a list. */
async function listAll(url: string, key: string, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await http('GET', `${path}limit=100${query}`, { baseUrl: url, key });
    const page = body as { items: { uniqueId: string }[]; nextCursor: string | null };
    ids.push(...page.items.map(({ uniqueId }) => uniqueId));
    cursor = page.nextCursor;
  }
  return ids.toSorted();
}

/**
 * Adds members with an item that is due for a mail, and ends the leases of killed processes.
 * @returns their addresses
 */
async function addReaders(
  { MIGRATION_DATABASE_URL: connectionString }: Record<string, string>,
  task: string,
  kill: number,
) {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(
    `select set_config('app.company', company_id::text, false), set_config('app.user', $2, false)
    from task where unique_id = $1`,
    [task, OPERATOR.uniqueId],
  );
  const { rows } = await client.query<{ email: string }>(
    `with reader as (select uuid_v7() as id, uuid_v7() as person, 'Reader ' || $2 || '-' || n as name from generate_series(1, 3) n),
    persons as (insert into person (unique_id, email, name) select person, lower(replace(name, ' ', '-')) || '@example.com', name from reader returning email),
    users as (insert into company_user (company_id, unique_id, kind, name) select t.company_id, id, 'human', name from reader, task t where t.unique_id = $1),
    members as (insert into member (company_id, unique_id, person_id, role) select t.company_id, id, person, 'editor' from reader, task t where t.unique_id = $1),
    items as (
      insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion, to_mail)
      select t.company_id, r.id, uuid_v7(), now() - interval '3 minutes', 'assigned', 'task', t.unique_id, 'test', true
      from reader r, task t where t.unique_id = $1)
    select email from persons`,
    [task, String(kill)],
  );
  await client.query('update person set mail_next_attempt_at = now() where mail_next_attempt_at > now()');
  await client.end();
  return rows.map(({ email }) => email);
}

test(`kill -9, ${KILLS} times under load: each event has its items exactly once, and no mail is missing`, async () => {
  const mails = await startMailServer();
  const settings = await createSettings(mails.url);
  let killed = await start(settings);
  const survivor = ownerUrl === undefined ? undefined : await start(settings);
  let { url } = survivor ?? killed;
  const { id: company } = await callManagement<{ id: number }>(url, 'company.create', { name: 'Acme' });
  const { id: framework } = await callManagement<{ id: number }>(url, 'framework.create', { name: 'ISO' }, company);
  const newKey = { name: 'Load', scopes: SCOPES };
  const { key } = await callManagement<{ key: string }>(url, 'apiKey.create', newKey, company);
  const members: Member[] = [];
  for (const name of MEMBERS) members.push(await joinCompany(url, company, name));
  const [watcher = expect.fail('a member is missing')] = members;
  const post = (path: string, body: object) => http('POST', path, { baseUrl: url, key, body });
  const { body } = await post(`/external/task/framework/${framework}/new`, { title: 'Watched' });
  const { uniqueId: watched } = body as { uniqueId: string };
  await asMember(url, watcher, 'watch.set', { taskUniqueId: watched, watching: true });

  const readers: string[] = [];
  const ended = new AbortController();
  let created = 0;
  let acknowledged = 0;
  const write = async () => {
    while (!ended.signal.aborted) {
      created += 1;
      const assigneeId = members[acknowledged % members.length]?.uniqueId;
      // A killed process sends no response. The committed writes are compared at the end.
      const results = await Promise.allSettled([
        post(`/external/task/framework/${framework}/new`, { title: `Task ${created} of the load`, assigneeId }),
        ...(created < MAX_COMMENTS
          ? [post(`/external/task/${watched}/comment/new`, { text: `Comment ${created}` })]
          : []),
      ]);
      if (results.every((result) => result.status === 'fulfilled' && result.value.status === 201)) acknowledged += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const load = write();
  /** Waits for a write after a start, which takes seconds on a busy machine. */
  const expectWrite = async () => {
    const before = acknowledged;
    await expect.poll(() => acknowledged, { timeout: 60_000 }).toBeGreaterThan(before);
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await expectWrite();
    await new Promise((resolve) => setTimeout(resolve, 100 + (kill % 5) * 150));
    await stopServiceProcess(killed, 'SIGKILL');
    expect(isRunning(killed)).toBe(false);
    if (survivor !== undefined) readers.push(...(await addReaders(settings, watched, kill)));
    killed = await start(settings);
    if (survivor === undefined) ({ url } = killed);
  }
  await expectWrite();
  ended.abort();
  await load;

  const comments = await listAll(url, key, `/external/task/${watched}/comment/list?`);
  expect(comments.length).toBeGreaterThan(KILLS);
  for (const member of members) {
    const tasks = await listAll(url, key, `/external/task/list?assignee=${member.uniqueId}&`);
    expect(tasks.length).toBeGreaterThan(KILLS / members.length);
    const assigned = () => inboxOf(url, member, 'assigned');
    await expect.poll(async () => (await assigned()).length, { timeout: 60_000 }).toBe(tasks.length);
    expect(await assigned()).toEqual(tasks);
  }
  const commented = () => inboxOf(url, watcher, 'commented');
  await expect.poll(async () => (await commented()).length, { timeout: 60_000 }).toBe(comments.length);

  // Nothing reaches the embedded database beside its process, so that only PostgreSQL has readers.
  const recipients = () => new Set(mails.received.flatMap(({ to }) => to));
  await expect.poll(() => readers.filter((email) => !recipients().has(email)), { timeout: 120_000 }).toEqual([]);
  expect(readers).toHaveLength(survivor === undefined ? 0 : 3 * KILLS);
}, 600_000);
