import { beforeAll, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { ACCOUNT_VERBS } from '../../entities/member/member.ts';
import { isFullObject } from '../../entities/audit/changes.ts';
import { RESOURCE_TYPES, actionsOf } from '../../entities/audit/fields.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { EVENT_TYPES, eventTypeOf } from '../../entities/webhook/event-type.ts';
import { asOwner } from '../support/database/database.ts';
import { openApi, schemaError } from '../support/openapi/conformance.ts';
import { changedBody, exampleBody, routes, sendExample, targetOf } from '../support/fixtures/objects.ts';
import { createCompany } from '../support/tenants/company.ts';
import { writeAccountEvent } from '../support/tenants/account-events.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';

type Event = Awaited<ReturnType<Awaited<ReturnType<typeof createCompany>>['audit']['list']>>['items'][number];

/** These resources are never deleted, so no event has these types. */
const NEVER_SENT = ['company', 'framework', 'department', 'gap', 'api_key'].map((type) => `${type}.delete`);

const { webhooks } = openApi;
const schemaOf = (type: string) => webhooks[type]?.['post']?.requestBody?.content['application/json']?.schema ?? {};

const exampleOf = (type: string) =>
  webhooks[type]?.['post']?.requestBody?.content['application/json']?.example as { data: Event };

/** Body of the webhook of an audit event, as the contract describes it. */
const bodyOf = (data: Event) => ({
  type: eventTypeOf(data.action),
  timestamp: data.occurredAt,
  sequence: 42,
  data,
});

/** Makes each kind of change: with each REST operation that writes, and with the management. @returns all audit events of the company */
async function eventsOfEveryKind(): Promise<Event[]> {
  const acme = await createCompany();
  const { manage, framework, department, gap, task } = acme;
  const target = await targetOf(acme);
  for (const route of routes.filter(({ type }) => type === 'mutation'))
    await sendExample(route.procedure, target, changedBody(route.procedure, exampleBody(route, target)));
  const { uniqueId: taskUniqueId } = await acme.newTask({ description: 'x', labels: ['a'], gaps: [gap] });
  await task.update({ taskUniqueId, dueDate: '2027-01-31', priority: 1, labels: [], status: 'done' });

  await manage.framework.rename({ id: framework, name: 'SOC 2' });
  await manage.department.rename({ id: department, name: 'IT' });
  await manage.gap.rename({ id: gap, title: 'No log review' });
  await manage.department.archive({ id: department });
  const { uniqueId } = await manage.apiKey.create({ name: 'Sync', cidrs: ['10.0.0.0/8'], frameworks: [framework] });
  await manage.apiKey.update({ uniqueId, name: 'Other', frameworks: null });
  await manage.apiKey.rotate({ uniqueId, overlapSeconds: 60 });
  await manage.apiKey.revoke({ uniqueId });

  const { caller } = await createMember(acme);
  await caller.evidence.check({ evidence: await addEvidence(acme, { taskUniqueId }), result: 'rejected' });
  const { member, invitation, sso } = caller.management;
  const invited = await member.invite({
    email: `${newUniqueId()}@example.com`,
    role: 'editor',
    frameworks: [framework],
  });
  await invitation.revoke({ uniqueId: invited.uniqueId });
  const editor = await createMember(acme, { role: 'editor' });
  await member.update({ uniqueId: editor.uniqueId, role: 'auditor' });
  const { uniqueId: of } = editor;
  for (const verb of Object.values(ACCOUNT_VERBS)) await writeAccountEvent(acme, verb, { of, by: of });
  await member.end({ uniqueId: editor.uniqueId });
  await member.forget({ uniqueId: editor.uniqueId });
  const settings = { issuer: 'https://idp.example', clientId: 'client', clientSecret: 'secret', required: false };
  await sso.set({ ...settings, domains: [`${newUniqueId()}.example`], role: 'editor' });
  await sso.remove();
  await asOwner((run) => run(`update company set leaked_keys = 'report' where id = $1::int`, acme.id), {
    company: acme.id,
    user: OPERATOR.uniqueId,
  });
  const pages = await Array.fromAsync(readPages((from) => acme.audit.list({ limit: 100, ...from })));
  return pages.flatMap(({ items }) => items);
}

describe('the webhooks of the document', () => {
  test('are one request for each audit action, webhook.test and audit.checkpoint', () => {
    const actions = RESOURCE_TYPES.flatMap(actionsOf);
    expect(Object.keys(webhooks)).toEqual([...actions.map(eventTypeOf), 'webhook.test', 'audit.checkpoint']);
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES);
    expect(eventTypeOf('apiKey.rotate')).toBe('api_key.rotate');
    for (const operations of Object.values(webhooks)) expect(Object.keys(operations)).toEqual(['post']);
  });

  test('have the headers of Standard Webhooks and the outcome of each response', () => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    for (const [type, { post }] of Object.entries(webhooks)) {
      expect(post).toMatchObject({ summary: type, security: [], requestBody: { required: true } });
      expect(post?.parameters).toEqual(names.map((name) => ({ $ref: `#/components/parameters/${name}` })));
      expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['2XX', '410', 'default']));
    }
    for (const name of names)
      expect(openApi.components.parameters[name]).toMatchObject({ name, in: 'header', required: true });
    const ids = [...Object.values(openApi.paths), ...Object.values(webhooks)].flatMap((verbs) =>
      Object.values(verbs).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.for(EVENT_TYPES)('have an example of %s, which conforms to its schema', (type) => {
    const example = exampleOf(type);
    expect(example).toMatchObject({ type });
    expect(schemaError(schemaOf(type), example)).toBeUndefined();
  });

  test('have examples with ids of their own', () => {
    const ids = EVENT_TYPES.map((type) => exampleOf(type).data.uniqueId);
    expect(new Set(ids).size).toBe(EVENT_TYPES.length);
  });
});

describe('the schema of an event type', () => {
  let events: Event[];
  beforeAll(async () => {
    events = await eventsOfEveryKind();
  });
  const eventOf = (type: string) => {
    const event = events.find(({ action }) => eventTypeOf(action) === type);
    if (event === undefined) throw new Error(`${type}: no event`);
    return event;
  };

  test('accepts every real event of the type', () => {
    const types = new Set(events.map(({ action }) => eventTypeOf(action)));
    expect(EVENT_TYPES.filter((type) => !types.has(type))).toEqual([...NEVER_SENT, 'webhook.test', 'audit.checkpoint']);
    const errors = events.map((event) => {
      const body = bodyOf(event);
      return [event.action, event.changes, schemaError(schemaOf(body.type), body)];
    });
    expect(errors.filter(([, , error]) => error !== undefined)).toEqual([]);
  });

  test('has an example with the fields of a real event, whose times have milliseconds', () => {
    const fieldsOf = ({ changes = {} }: Pick<Event, 'changes'>) => Object.keys(changes).toSorted();
    for (const event of events.filter(({ action }) => isFullObject(action)))
      expect([event.action, fieldsOf(exampleOf(eventTypeOf(event.action)).data)]).toEqual([
        event.action,
        fieldsOf(event),
      ]);
    const bodies = JSON.stringify([events.map(bodyOf), EVENT_TYPES.map(exampleOf)]);
    const times = bodies.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(times.length).toBeGreaterThan(100);
    expect(times.filter((time) => !/^"[\d-]{10}T[\d:]{8}\.\d{3}Z"$/.test(time))).toEqual([]);
  });

  test('rejects the events of every other type', () => {
    for (const type of EVENT_TYPES) {
      const others = events.map(bodyOf).filter((body) => body.type !== type);
      expect(others.filter((body) => schemaError(schemaOf(type), body) === undefined)).toEqual([]);
      // The type alone does not make it an event of that type.
      expect(others.filter((body) => schemaError(schemaOf(type), { ...body, type }) === undefined)).toEqual([]);
    }
  });

  test('knows the fields of the resource and the types of their values', () => {
    const error = (type: string, changes: object) =>
      schemaError(schemaOf(type), { ...bodyOf(eventOf(type)), data: { ...eventOf(type), changes } });
    const cut = { truncated: true };
    expect(error('task.update', { description: { from: cut, to: 'x' }, priority: { from: 1, to: 2 } })).toBeUndefined();
    expect(error('vendor.create', { ...eventOf('vendor.create').changes, description: cut })).toBeUndefined();
    expect(error('task.update', { colour: { from: 'red', to: 'blue' } })).toContain('additional properties');
    expect(error('task.update', { priority: { from: 1, to: 'high' } })).toContain('integer');
    expect(error('task.update', { priority: 2 })).toContain('object');
    expect(error('task.create', { priority: { from: 1, to: 2 } })).toContain('integer');
    expect(error('vendor.update', { name: { to: 'x' } })).toContain('from');
    expect(error('vendor.create', { name: { truncated: false } })).toContain('constant');
  });

  test('requires a sequence, except of webhook.test, which has no changes', () => {
    const event = bodyOf(eventOf('task.update'));
    expect(schemaError(schemaOf('task.update'), { ...event, sequence: null })).toContain('integer');
    const data = { ...event.data, action: 'webhook.test', resource: { type: 'webhook', uniqueId: newUniqueId() } };
    const sent = { ...event, type: 'webhook.test', sequence: null, data: { ...data, changes: {} } };
    expect(schemaError(schemaOf('webhook.test'), sent)).toBeUndefined();
    expect(schemaError(schemaOf('webhook.test'), { ...sent, sequence: 42 })).toContain('null');
    expect(schemaError(schemaOf('webhook.test'), { ...sent, data })).toContain('more than 0');
  });
});
