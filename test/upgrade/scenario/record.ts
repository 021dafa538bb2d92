import { asOperator, asPerson, mutation, query, rest } from './client.ts';
import type { Client, ServiceRequest, ServiceResponse } from './client.ts';
import type { Scenario } from './scenario.ts';

/** A request of an earlier version, with its response. */
export interface RecordedResponse {
  request: ServiceRequest;
  response: ServiceResponse;
}

/** Everything that a fixture knows beside its data. */
export interface FixtureRecord {
  version: string;
  /** Time at which the responses were recorded, in ISO 8601. */
  recordedAt: string;
  encryptionKey: string;
  scenario: Scenario;
  responses: RecordedResponse[];
}

const VENDORS = '/external/smart-inventory/vendor';
const MAX_PAGES = 50;

/** Sends requests that read everything, and those that follow their cursors. */
export async function recordResponses(client: Client, scenario: Scenario): Promise<RecordedResponse[]> {
  const recorded: RecordedResponse[] = [];

  async function record(request: ServiceRequest): Promise<ServiceResponse> {
    const response = await client.send(request);
    // Rejected credentials and deleted objects are recorded, other errors are mistakes of the scenario.
    if (response.status >= 400 && ![401, 404].includes(response.status))
      throw new Error(`${request.path}: ${response.status} ${JSON.stringify(response.body)}`);
    recorded.push({ request, response });
    return response;
  }

  /** Records a list and every page that its cursors lead to. */
  async function recordPages(request: ServiceRequest): Promise<void> {
    let path: string | undefined = request.path;
    for (let pages = 0; path !== undefined && pages < MAX_PAGES; pages += 1) {
      const { body }: ServiceResponse = await record({ ...request, path });
      const { nextCursor, cursor, more } = body as { nextCursor?: string | null; cursor?: string; more?: boolean };
      const next: string | null | undefined = more === false ? null : (nextCursor ?? cursor);
      path = typeof next === 'string' ? withCursor(request.path, next) : undefined;
    }
  }

  for (const request of reads(scenario)) await record(request);
  for (const request of lists(scenario)) await recordPages(request);
  for (const task of [scenario.task, scenario.deletedTask]) {
    const { body } = await record(rest(scenario.keys.all, 'GET', `/external/task/${task}/history?limit=100`));
    const times = (body as { items: { occurredAt: string }[] }).items.map(({ occurredAt }) => occurredAt);
    for (const time of times) for (const request of readsAsOf(scenario, time)) await record(request);
  }
  return recorded;
}

const withCursor = (path: string, cursor: string) =>
  `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;

/** Objects, whole lists, rejected credentials, and what needs a session. */
function reads({
  company,
  framework,
  keys,
  task,
  deletedTask,
  vendor,
  idempotent,
  people,
  work,
  ...ids
}: Scenario): ServiceRequest[] {
  const get = (path: string, key = keys.all) => rest(key, 'GET', path);
  const operator = asOperator(company);
  const sessions = [people.admin, people.withTotp, people.linked];
  const byKey = Object.values(keys).map((key) => get('/external/api-key/whoami', key));
  return [
    ...byKey,
    get(`/external/task/${task}/item`),
    get(`/external/task/${task}/item`, keys.limited),
    get(`/external/task/${deletedTask}/item`),
    get(`${VENDORS}/${vendor}/item`),
    get(`${VENDORS}/by/crm/4711`),
    get(`/external/task/framework/${framework}/by/jira/SEC-1`),
    get(`/external/task/framework/${framework}/by/jira/SEC-3`),
    get(`/external/task/framework/${framework}/list?status=open&priority=1`),
    get(`${VENDORS}/list`),
    get(`${VENDORS}/list?view=full&limit=2`),
    get(`/external/comment/${work.comment}/item`),
    get(`/external/evidence/${work.evidence}/item`),
    get(`/external/proof/${work.proof}/item`),
    get(`/external/task/${work.recurring}/series`),
    get(`${VENDORS}/${work.reviewed}/item`),
    get('/external/task/list?evidence=some'),
    get('/external/member/list'),
    get(`/external/task/list?assignee=${String(work.assignee)}&limit=5`),
    get('/external/task/list?assignee=none&due=none'),
    get('/external/framework/list'),
    get(`/external/framework/${framework}/gap/list`),
    get('/external/department/list'),
    get(`/external/import/${ids.import}/item`),
    get(`/external/import/${ids.import}/error/list`),
    get('/external/webhook/list'),
    get(`/external/webhook/${ids.webhook}/item`),
    rest(keys.all, 'GET', `${VENDORS}/list`, undefined, { Accept: 'text/csv' }),
    rest(keys.all, 'POST', idempotent.path, idempotent.body, {
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotent.key,
    }),
    ...sessions.map(({ cookie }) => query(asPerson(cookie), 'account.get')),
    query(asPerson(people.admin.cookie), 'task.get', { taskUniqueId: task }),
    query(asPerson(people.admin.cookie), 'view.list'),
    query(asPerson(people.admin.cookie), 'inbox.list', { limit: 100 }),
    query(asPerson(people.admin.cookie), 'watch.get', { vendor }),
    query(asPerson(people.withTotp.cookie), 'watch.get', { taskUniqueId: task }),
    query(asPerson(people.admin.cookie), 'management.settings.get'),
    query(operator, 'management.apiKey.list'),
    query(operator, 'management.member.list'),
    query(operator, 'management.invitation.list'),
    query(operator, 'management.sso.get'),
    query(operator, 'management.signIn.list', { limit: 100 }),
    query(operator, 'management.company.list'),
    query(operator, 'management.framework.list'),
    mutation(operator, 'management.audit.verify', {}),
  ];
}

/** Lists whose cursors are followed. */
function lists({ framework, keys, task, vendor, failingWebhook, webhook }: Scenario): ServiceRequest[] {
  return [
    `/external/task/framework/${framework}/list?limit=5`,
    `/external/task/framework/${framework}/list?limit=4&sort=dueDate`,
    '/external/task/list?limit=5&sort=priority',
    `/external/task/${task}/comment/list?limit=1`,
    `${VENDORS}/${vendor}/comment/list`,
    `/external/task/${task}/evidence/list?limit=1`,
    '/external/evidence/list',
    '/external/proof/list',
    `/external/task/${task}/history?limit=3`,
    `/external/task/${task}/history?limit=3&children=true`,
    `${VENDORS}/${vendor}/history`,
    '/external/audit/list?limit=20',
    '/external/changes?limit=30',
    `/external/webhook/${webhook}/delivery/list?limit=20`,
    `/external/webhook/${failingWebhook}/delivery/list`,
  ].map((path) => rest(keys.all, 'GET', path));
}

/** Reads objects as of a time. */
function readsAsOf({ keys, task, deletedTask, vendor }: Scenario, time: string): ServiceRequest[] {
  const paths = [`/external/task/${task}/item`, `/external/task/${deletedTask}/item`, `${VENDORS}/${vendor}/item`];
  return paths.map((path) => rest(keys.all, 'GET', `${path}?asOf=${encodeURIComponent(time)}`));
}
