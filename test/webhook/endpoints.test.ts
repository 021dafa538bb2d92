import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { MAX_WEBHOOKS } from '../../entities/webhook/webhook.ts';
import { webhookSecretPlace } from '../../procedures/core/encryption.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { asOwner, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';
import { createWebhookKey } from '../support/tenants/webhooks.ts';

const BASE = '/external/webhook';
const URL = 'https://hooks.example.com/compliance';
const SECRET = /whsec_[\w+/]{43}=/;

interface Endpoint {
  uniqueId: string;
  events: string[] | null;
  secret?: string;
}

const acme = await createCompany();
const { key, caller } = await createWebhookKey(acme);
const app = await startApp({ services });
afterAll(() => app.stop());

/** Sends a request. @returns the status, the body and Location */
async function rest(method: string, path: string, body?: unknown, rawKey = key, headers: Record<string, string> = {}) {
  const response = await http(method, `${BASE}${path}`, { key: rawKey, body, headers, baseUrl: app.url });
  return { status: response.status, location: response.headers.location, body: response.body as Endpoint };
}

const created = async (fields: object = {}) => (await rest('POST', '/new', { url: URL, ...fields })).body;
const remove = (uniqueId: string) => rest('DELETE', `/${uniqueId}/delete`);

describe('the operations of an endpoint', () => {
  test('create, read, change, list and delete it, with the same object everywhere but the secret', async () => {
    const { status, location, body } = await rest('POST', '/new', {
      url: URL,
      events: ['vendor.update', 'task.*', 'task.*'],
      description: 'Ticket sync',
    });
    const { secret, ...endpoint } = body;
    expect([status, location, secret]).toEqual([
      201,
      `${BASE}/${endpoint.uniqueId}/item`,
      expect.stringMatching(SECRET),
    ]);
    expect(endpoint).toEqual({
      uniqueId: endpoint.uniqueId,
      url: URL,
      events: ['task.*', 'vendor.update'],
      description: 'Ticket sync',
      headers: [],
      enabled: true,
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await rest('GET', `/${endpoint.uniqueId}/item`)).toMatchObject({ status: 200, body: endpoint });
    expect((await rest('GET', `/${endpoint.uniqueId}/item`)).body).toEqual(endpoint);
    expect(await caller.webhook.get({ webhook: endpoint.uniqueId })).toEqual(endpoint);
    expect(await rest('GET', '/list')).toMatchObject({ status: 200, body: { items: [endpoint], nextCursor: null } });

    for (const change of [
      { url: 'https://other.example.com/' },
      { events: null },
      { description: '' },
      { enabled: false },
    ]) {
      const changed = await rest('PATCH', `/${endpoint.uniqueId}/edit`, change);
      const reason = 'enabled' in change ? { disabledReason: 'manual' } : {};
      expect([changed.status, changed.body]).toEqual([
        200,
        {
          ...endpoint,
          ...change,
          ...reason,
          updatedAt: expect.not.stringMatching(String(Reflect.get(endpoint, 'updatedAt'))),
        },
      ]);
      Object.assign(endpoint, changed.body);
    }
    expect((await remove(endpoint.uniqueId)).status).toBe(204);
    for (const [method, path, input] of [
      ['GET', 'item', undefined],
      ['PATCH', 'edit', { enabled: true }],
      ['DELETE', 'delete', undefined],
      ['POST', 'rotate', {}],
      ['POST', 'test', undefined],
      ['GET', 'delivery/list', undefined],
      ['POST', 'replay', { sequence: 1 }],
    ] as const)
      expect([path, (await rest(method, `/${endpoint.uniqueId}/${path}`, input)).status]).toEqual([path, 404]);
  });

  test('name an unknown event type, and the one that was probably meant; events must not be empty', async () => {
    for (const [events, message] of [
      [['task.create', 'task.explode'], /events.*"task\.explode" is unknown"/],
      [['tasks.*'], /"tasks\.\*" is unknown; did you mean task\.\*\?/],
      [['apiKey.rotate'], /"apiKey\.rotate" is unknown; did you mean api_key\.rotate\?/],
      [['vendors.create'], /"vendors\.create" is unknown; did you mean vendor\.create\?/],
      [['Tasks.updated'], /"Tasks\.updated" is unknown; did you mean task\.update\?/],
      [['framework.rotate'], /"framework\.rotate" is unknown"/],
      [['*'], /"\*" is unknown/],
      [[], /events.*at least one/],
      ['task.*', /events.*an array/],
    ] as const) {
      const { status, body } = await rest('POST', '/new', { url: URL, events });
      expect([status, JSON.stringify(body).replaceAll('\\', '')]).toEqual([400, expect.stringMatching(message)]);
    }
    const [omitted, none] = [await created(), await created({ events: null })];
    expect([omitted.events, none.events]).toEqual([null, null]);
    await Promise.all([omitted, none].map(({ uniqueId }) => remove(uniqueId)));
  });

  test('list every endpoint once, in pages, oldest first', async () => {
    const listing = await createWebhookKey(await createCompany());
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await listing.caller.webhook.create({ url: URL })).uniqueId);
    const pages = await Array.fromAsync(readPages((from) => listing.caller.webhook.list({ limit: 2, ...from })));
    expect(pages.flatMap(({ items }) => items.map(({ uniqueId }) => uniqueId))).toEqual(ids);
  });

  test('need both scopes; an admin may call them too', async () => {
    for (const scopes of [['webhook:manage'], ['audit:read']] as const) {
      const limited = await createWebhookKey(acme, { scopes: [...scopes] });
      expect((await rest('POST', '/new', { url: URL }, limited.key)).status).toBe(403);
      expect((await rest('GET', '/list', undefined, limited.key)).status).toBe(403);
    }
    expect((await rest('GET', '/list', undefined, acme.key)).status).toBe(403); // scopes by default
    const { caller: admin } = await createMember(acme);
    const { uniqueId, secret } = await admin.webhook.create({ url: URL });
    expect(secret).toMatch(SECRET);
    expect((await rest('GET', `/${uniqueId}/item`)).status).toBe(200);
    await admin.webhook.delete({ webhook: uniqueId });
  });

  test('see no endpoint of another company', async () => {
    const { uniqueId } = await created();
    const other = await createWebhookKey(await createCompany());
    const input = { webhook: uniqueId };
    const { webhook } = other.caller;
    const calls = [
      () => webhook.get(input),
      () => webhook.update({ ...input, enabled: false }),
      () => webhook.delete(input),
      () => webhook.rotate(input),
      () => webhook.test(input),
      () => webhook.deliveries(input),
      () => webhook.replay({ ...input, sequence: 1 }),
      () => webhook.get({ webhook: newUniqueId() }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await other.caller.webhook.list()).items).toEqual([]);
    expect(await caller.webhook.get(input)).toMatchObject({ enabled: true });
    await remove(uniqueId);
  });
});

describe('the reason for which an endpoint is disabled', () => {
  /** Disables an endpoint as an earlier version did, or with a reason. */
  const disable = (webhook: string, reason: string | null = null) =>
    asOwner(
      (run) =>
        run(
          'update webhook set enabled = false, skip_until_id = null, disabled_reason = $2 where unique_id = $1::uuid',
          webhook,
          reason,
        ),
      { company: acme.id, user: OPERATOR.uniqueId },
    );
  const reasonOf = async (webhook: string) => (await caller.webhook.get({ webhook })).disabledReason;

  test('is manual after a request, null when it is enabled again, and the same for each operation', async () => {
    const { uniqueId } = await created();
    const patched = await rest('PATCH', `/${uniqueId}/edit`, { enabled: false });
    expect(patched.body).toMatchObject({ enabled: false, disabledReason: 'manual' });
    expect((await rest('PATCH', `/${uniqueId}/edit`, { description: 'x' })).body).toMatchObject({
      disabledReason: 'manual',
    });
    expect((await rest('GET', `/${uniqueId}/item`)).body).toMatchObject({ disabledReason: 'manual' });
    expect(await reasonOf(uniqueId)).toBe('manual');
    const enabled = await rest('PATCH', `/${uniqueId}/edit`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null });
    await remove(uniqueId);
  });

  test('stays if a request disables an endpoint that is disabled', async () => {
    const { uniqueId } = await created();
    await disable(uniqueId, 'gone');
    await rest('PATCH', `/${uniqueId}/edit`, { enabled: false });
    expect(await reasonOf(uniqueId)).toBe('gone');
    await remove(uniqueId);
  });

  test('is key if the key is revoked, else manual, for an endpoint that was disabled before reasons were stored', async () => {
    const owner = await createWebhookKey(acme);
    const { body } = await rest('POST', '/new', { url: URL }, owner.key);
    const webhook = body.uniqueId;
    await disable(webhook);
    expect(await reasonOf(webhook)).toBe('manual');
    await acme.manage.apiKey.revoke({ uniqueId: owner.apiKey.uniqueId });
    expect(await reasonOf(webhook)).toBe('key');
    expect((await caller.webhook.list()).items.find(({ uniqueId }) => uniqueId === webhook)).toMatchObject({
      disabledReason: 'key',
    });
    await remove(webhook);
  });
});

describe('the limit', () => {
  test('of a company is 20 endpoints, also if 25 are created at once', async () => {
    const full = await createWebhookKey(await createCompany());
    const responses = await Promise.all(
      Array.from({ length: MAX_WEBHOOKS + 5 }, () => rest('POST', '/new', { url: URL }, full.key)),
    );
    const statuses = responses.map(({ status }) => status).toSorted((one, two) => one - two);
    expect(statuses).toEqual([...Array<number>(MAX_WEBHOOKS).fill(201), ...Array<number>(5).fill(422)]);
    const [first] = (await full.caller.webhook.list({ limit: 1 })).items;
    await full.caller.webhook.delete({ webhook: first?.uniqueId ?? '' });
    expect((await rest('POST', '/new', { url: URL }, full.key)).status).toBe(201);
  });
});

describe('the audit log', () => {
  test('has each change of an endpoint once, and no secret', async () => {
    const { uniqueId, secret = '' } = await created({ events: ['task.*'] });
    const patch = (change: object) => rest('PATCH', `/${uniqueId}/edit`, change);
    await patch({ description: 'x', enabled: false });
    await patch({ description: 'x', events: ['task.*'], url: URL, enabled: false }); // no change
    await patch({});
    const rotations = [await rest('POST', `/${uniqueId}/rotate`, {})];
    rotations.push(await rest('POST', `/${uniqueId}/rotate`, { overlapSeconds: 86_400 }));
    await remove(uniqueId);
    const { items } = await caller.audit.list({ resourceType: 'webhook', resourceId: uniqueId });
    const changes = items.toReversed().map((event) => [event.action, event.changes]);
    expect(changes).toMatchObject([
      ['webhook.create', { url: URL, events: ['task.*'], description: '', enabled: true, disabledReason: null }],
      [
        'webhook.update',
        {
          description: { from: '', to: 'x' },
          enabled: { from: true, to: false },
          disabledReason: { from: null, to: 'manual' },
        },
      ],
      ['webhook.rotate', { rotatedUntil: { from: null } }],
      ['webhook.rotate', { rotatedUntil: { to: expect.any(String) } }],
      ['webhook.delete', { url: URL, description: 'x', enabled: false, disabledReason: 'manual' }],
    ]);
    const secrets = [secret, ...rotations.map(({ body }) => body.secret ?? '')];
    expect(new Set(secrets).size).toBe(3);
    const log = JSON.stringify([items, await acme.events()]);
    expect(log).not.toMatch(/whsec_|"secret"|previous_?secret"|v1\.[0-9a-f]{8}\./i);
  });
});

describe('the secret', () => {
  test('is encrypted at rest and bound to its endpoint, also the one before a rotation', async () => {
    const { uniqueId, secret = '' } = await created();
    const { secret: second } = await caller.webhook.rotate({ webhook: uniqueId, overlapSeconds: 60 });
    const stored = async () =>
      (
        await sql<{ secret: string; previous_secret: string; row: string }>(
          'select secret, previous_secret, w::text as row from webhook w where unique_id = $1',
          uniqueId,
        )
      )[0];
    const row = await stored();
    for (const text of [secret, second, Buffer.from(secret).toString('hex')]) expect(row?.row).not.toContain(text);
    const place = webhookSecretPlace(uniqueId);
    const read = (text = '') => services.encryption?.decrypt(text, place);
    expect([read(row?.secret), read(row?.previous_secret)]).toEqual([second, secret]);
    expect(() => services.encryption?.decrypt(row?.secret ?? '', webhookSecretPlace(newUniqueId()))).toThrow(
      'authenticate',
    );
    await remove(uniqueId);
  });

  test('needs ENCRYPTION_KEY: without one no endpoint is created or rotated', async () => {
    const { uniqueId } = await created();
    const withoutKey = await startApp({});
    onTestFinished(() => withoutKey.stop());
    for (const path of ['/new', `/${uniqueId}/rotate`]) {
      const body = path === '/new' ? { url: URL } : {};
      const { status, text } = await http('POST', `${BASE}${path}`, { key, body, baseUrl: withoutKey.url });
      expect([status, text]).toEqual([422, expect.stringContaining('ENCRYPTION_KEY')]);
    }
    await remove(uniqueId);
  });

  test('is shown once: a replay by Idempotency-Key leaves it out', async () => {
    const headers = { 'Idempotency-Key': randomBytes(16).toString('hex') };
    const send = async () => (await rest('POST', '/new', { url: URL }, key, headers)).body;
    const [first, replayed] = [await send(), await send()];
    const { secret, ...endpoint } = first;
    expect(secret).toMatch(SECRET);
    expect(replayed).toEqual(endpoint);
    await remove(first.uniqueId);
  });
});
