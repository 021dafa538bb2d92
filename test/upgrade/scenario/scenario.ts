import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../support/http/listen.ts';
import { until } from '../../support/servers/until.ts';
import { leakFinding, signatureHeaders } from '../../support/servers/secret-scanner.ts';
import { PASSWORD } from './authenticator.ts';
import { asOperator, asPerson, rest } from './client.ts';
import type { Client } from './client.ts';
import { createPeople } from './people.ts';
import type { People } from './people.ts';
import { createWork } from './work.ts';
import type { Work } from './work.ts';

const SCOPES = ['task', 'vendor'].flatMap((resource) =>
  ['read', 'write', 'delete'].map((verb) => `${resource}:${verb}`),
);
const OF_EVIDENCE = ['evidence:read', 'evidence:write', 'evidence:delete'];
const ALL_SCOPES = [...SCOPES, 'audit:read', 'webhook:manage', 'member:read', ...OF_EVIDENCE];
/** Path that receives reports of leaked keys. */
const REPORTS_PATH = '/integrations/secret-scanning/github';
const VENDORS = '/external/smart-inventory/vendor';
/** Milliseconds for events to be sealed, and their deliveries to be created. */
const SEALING_MS = 3000;

/** Ids and secrets that the requests of a fixture need. */
export interface Scenario {
  company: number;
  framework: number;
  /** Company in which work waits when the service is killed. */
  waiting: { company: number; key: string };
  /** Raw keys: one with all scopes, one limited to a framework, one whose successor exists, and keys that are rejected. */
  keys: Record<'all' | 'limited' | 'rotated' | 'successor' | 'revoked' | 'leaked', string>;
  task: string;
  deletedTask: string;
  vendor: string;
  work: Work;
  webhook: string;
  failingWebhook: string;
  import: string;
  /** A request with an `Idempotency-Key` that was executed. */
  idempotent: { path: string; body: string; key: string };
  people: People;
}

/** Creates every kind of row through the interfaces of the service. */
export async function createScenario(client: Client): Promise<Scenario> {
  const [receiver, failing] = [await startReceiver(204), await startReceiver(500)];
  try {
    return await create(client, { receiver: `${receiver.url}/hook`, failing: `${failing.url}/hook` });
  } finally {
    for (const { stop } of [receiver, failing]) stop();
  }
}

/** Starts a receiver of webhooks that responds with a status. */
const startReceiver = (status: number) =>
  listen(
    createServer((request, response) => {
      request.resume();
      response.writeHead(status).end();
    }),
  );

/** Creates a company, closes and erases it, as `npx --no compliance company erase` does. */
async function createErased(client: Client): Promise<void> {
  const name = 'Erased Ltd';
  const { id } = await client.mutate(asOperator(), 'management.company.create', { name });
  await client.mutate(asOperator(id), 'management.company.close', { name });
  const { erase } = await client.mutate(asOperator(), 'management.company.eraseBegin', { id, name, hasOwner: false });
  for (let from: unknown = 0; from !== null;)
    ({ next: from } = await client.mutate(asOperator(), 'management.company.eraseStep', { id, erase, from }));
}

async function create(client: Client, urls: { receiver: string; failing: string }): Promise<Scenario> {
  const company = (await client.mutate(asOperator(), 'management.company.create', { name: 'Acme' })).id;
  const waitingCompany = (await client.mutate(asOperator(), 'management.company.create', { name: 'Waiting Ltd' })).id;
  await client.mutate(asOperator(), 'management.company.update', { id: waitingCompany, leakedKeys: 'report' });
  const manage = (procedure: string, input: unknown) =>
    client.mutate(asOperator(company), `management.${procedure}`, input);

  const framework = (await manage('framework.create', { name: 'ISO 27001' })).id;
  const formerFramework = (await manage('framework.create', { name: 'PCI DSS' })).id;
  const department = (await manage('department.create', { name: 'Security' })).id;
  const formerDepartment = (await manage('department.create', { name: 'Sales' })).id;
  const gap = (await manage('gap.create', { framework, title: 'No access review' })).id;
  const formerGap = (await manage('gap.create', { framework, title: 'No backups' })).id;
  await manage('framework.rename', { id: framework, name: 'ISO/IEC 27001' });

  const createKey = async (name: string, settings: object = {}) => manage('apiKey.create', { name, ...settings });
  const all = (await createKey('Sync', { scopes: ALL_SCOPES })).key;
  const limited = (await createKey('Limited', { frameworks: [framework], cidrs: ['127.0.0.0/8'] })).key;
  const rotated = await createKey('Rotated');
  const overlap = { uniqueId: rotated.uniqueId, overlapSeconds: 30 * 86_400 };
  const successor = (await manage('apiKey.rotate', overlap)).key;
  const revoked = await createKey('Revoked', { expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString() });
  await manage('apiKey.revoke', { uniqueId: revoked.uniqueId });
  const leaked = await createKey('Leaked');
  const report = JSON.stringify([leakFinding(leaked.key)]);
  await client.require({
    method: 'POST',
    path: REPORTS_PATH,
    headers: signatureHeaders(report),
    body: report,
  });
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    client.require(rest(all, method, path, body, headers));

  const headers = { 'X-Environment': 'production' };
  const webhook = await send('POST', '/external/webhook/new', { url: urls.receiver, description: 'Tickets', headers });
  await send('POST', `/external/webhook/${webhook.uniqueId}/rotate`, { overlapSeconds: 86_400 });
  const failingWebhook = await send('POST', '/external/webhook/new', { url: urls.failing, events: ['vendor.*'] });
  const disabled = await send('POST', '/external/webhook/new', { url: urls.receiver });
  await send('PATCH', `/external/webhook/${disabled.uniqueId}/edit`, { enabled: false });

  const newTask = `/external/task/framework/${framework}/new`;
  const task = await send('POST', newTask, {
    title: 'Review access rights ÄÖÜ 😀',
    description: '<p>Review <b>all</b> rights &amp; roles</p>',
    priority: 1,
    labels: ['Access', 'Quarterly'],
    startDate: '2026-01-31',
    dueDate: '2026-02-28',
    departmentId: department,
    gaps: [gap, formerGap],
  });
  const edit = (changes: object) => send('PATCH', `/external/task/${task.uniqueId}/edit`, changes);
  for (const status of ['in_progress', 'done', 'todo']) await edit({ status });
  await edit({ title: 'Review all access rights', dueDate: null });
  for (let number = 1; number <= 12; number += 1) {
    await send('POST', newTask, {
      title: `Task ${number}`,
      priority: 1 + (number % 4),
      labels: [`Batch ${number % 3}`],
    });
  }
  const deletedTask = await send('POST', newTask, { title: 'Deleted', departmentId: formerDepartment });
  await send('DELETE', `/external/task/${deletedTask.uniqueId}/delete`);
  await send('POST', `/external/task/framework/${formerFramework}/new`, { title: 'Of an archived framework' });

  const vendor = await send('POST', `${VENDORS}/new`, {
    name: 'Cloud Ltd',
    description: 'R&D <a href="https://x.example">x</a>',
  });
  await send('PATCH', `${VENDORS}/${vendor.uniqueId}/edit`, { status: 'archived' });
  const deletedVendor = await send('POST', `${VENDORS}/new`, { name: 'Gone Ltd', active: false });
  await send('DELETE', `${VENDORS}/${deletedVendor.uniqueId}/delete`);
  await send('PUT', `${VENDORS}/by/crm/4711`, { name: 'From the CRM' });
  await send('PUT', `/external/task/framework/${framework}/by/jira/SEC-1`, { title: 'From Jira' });
  await send('PUT', `/external/task/framework/${framework}/by/jira/SEC-2`, { title: 'Deleted in Jira' });
  await send('DELETE', `/external/task/framework/${framework}/by/jira/SEC-2`);
  await send('POST', `/external/task/${task.uniqueId}/link`, { source: 'jira', externalId: 'SEC-3' });
  const idempotent = { path: `${VENDORS}/new`, body: '{"name":"Once Ltd"}', key: 'fixture-1' };
  await send('POST', idempotent.path, idempotent.body, {
    'Content-Type': 'application/json',
    'Idempotency-Key': idempotent.key,
  });

  const csv = { 'Content-Type': 'text/csv' };
  const imported = await send(
    'POST',
    `${VENDORS}/import?source=erp&lenient=true`,
    'externalId,name,active,criticality\r\n1,One Ltd,true,x\r\n2,,true,\r\n',
    csv,
  );
  await until(async () => {
    const { state } = await send('GET', `/external/import/${imported.uniqueId}/item`);
    return state === 'done';
  }, 'import');
  await manage('framework.archive', { id: formerFramework });
  await manage('department.archive', { id: formerDepartment });
  await manage('gap.archive', { id: formerGap });

  await createErased(client);
  const people = await createPeople(client, company, framework);
  const work = await createWork(client, { company, key: all, task: task.uniqueId, vendor: vendor.uniqueId, people });
  const deliveriesOf = async (id: string) =>
    (await send('GET', `/external/webhook/${id}/delivery/list?limit=100`))['items'] as { lastStatus: number | null }[];
  await client.require(rest(limited, 'GET', `/external/task/framework/${framework}/list`));
  await wait(SEALING_MS);
  await until(async () => {
    const delivered = await deliveriesOf(webhook.uniqueId);
    const failed = await deliveriesOf(failingWebhook.uniqueId);
    return (
      delivered.every(({ lastStatus }) => lastStatus === 204) && failed.every(({ lastStatus }) => lastStatus === 500)
    );
  }, 'deliveries');

  await client.mutate(asOperator(waitingCompany), 'management.framework.create', { name: 'SOC 2' });
  const waiting = await client.mutate(asOperator(waitingCompany), 'management.apiKey.create', { name: 'Waiting' });
  return {
    company,
    framework,
    waiting: { company: waitingCompany, key: waiting.key },
    keys: { all, limited, rotated: rotated.key, successor, revoked: revoked.key, leaked: leaked.key },
    task: task.uniqueId,
    deletedTask: deletedTask.uniqueId,
    vendor: vendor.uniqueId,
    work,
    webhook: webhook.uniqueId,
    failingWebhook: failingWebhook.uniqueId,
    import: imported.uniqueId,
    idempotent,
    people,
  };
}

/**
 * Begins work that a kill right after it leaves undone: an import and a mail that wait, and events that are not
 * sealed.
 */
export async function beginWork(client: Client, { people, waiting: { key } }: Scenario): Promise<void> {
  const rows = Array.from({ length: 50 }, (_, index) => `Waiting ${index}`);
  await client.require(
    rest(key, 'POST', `${VENDORS}/import`, `name\r\n${rows.join('\r\n')}\r\n`, { 'Content-Type': 'text/csv' }),
  );
  await client.require(rest(key, 'POST', `${VENDORS}/new`, { name: 'Not sealed' }));
  const change = { email: 'ann.lee@acme.example', password: PASSWORD };
  await client.mutate(asPerson(people.admin.cookie), 'account.changeEmail', change);
}
