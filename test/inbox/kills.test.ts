import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { callManagement } from '../support/http/client.ts';
import { http } from '../support/http/server.ts';
import { decodeMail, startMailServer } from '../support/servers/mail-server.ts';
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
  const scratch = await createScratchDatabase(ownerUrl);
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
  const { link } = await callManagement<{ link: string }>(url, 'member.invite', { email, role: 'editor' }, company);
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

/** Lets the items wait long enough for a mail, each in another hour, so that each has a line of its own. */
async function makeDue(settings: Record<string, string>): Promise<void> {
  const client = new Client({ connectionString: settings['MIGRATION_DATABASE_URL'] });
  await client.connect();
  await client.query(`update inbox_item set at = at - interval '3 minutes' - (id % 200) * interval '1 hour'
    where to_mail and at > now() - interval '2 minutes'`);
  await client.query(`update person set mail_next_attempt_at = now() where mail_next_attempt_at > now()`);
  await client.end();
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
  const { body } = await post('/external/task/new', { framework, title: 'Watched' });
  const { uniqueId: watched } = body as { uniqueId: string };
  await asMember(url, watcher, 'watch.set', { taskUniqueId: watched, watching: true });

  let isLoaded = true;
  let created = 0;
  const write = async () => {
    while (isLoaded) {
      created += 1;
      const assigneeId = members[created % members.length]?.uniqueId;
      // A killed process does not answer. What was committed is compared at the end.
      await Promise.allSettled([
        post('/external/task/new', { framework, title: `Task ${created} of the load`, assigneeId }),
        post(`/external/task/${watched}/comment/new`, { text: `Comment ${created}` }),
      ]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const load = write();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100 + (kill % 5) * 150));
    await stopServiceProcess(killed, 'SIGKILL');
    expect(isRunning(killed)).toBe(false);
    if (survivor !== undefined) await makeDue(settings);
    killed = await start(settings);
    if (survivor === undefined) ({ url } = killed);
  }
  isLoaded = false;
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

  if (survivor === undefined) return; // Another process cannot move the time of the embedded database.
  const titles = await asMember<{ items: { title: string; reason: string }[] }>(
    url,
    watcher,
    `inbox.list?input=${encodeURIComponent(JSON.stringify({ limit: 100 }))}`,
  );
  const expected = titles.items.filter(({ reason }) => reason === 'assigned').map(({ title }) => title);
  const missing = async () => {
    await makeDue(settings);
    const texts = mails.received.map(decodeMail).filter(({ recipients }) => recipients.includes(watcher.email));
    return expected.filter((title) => !texts.some(({ text }) => text.includes(title)));
  };
  await expect.poll(missing, { timeout: 90_000, interval: 1000 }).toEqual([]);
});
