import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookHeadersPlace } from '../../procedures/core/encryption.ts';
import { sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';
import { createWebhookKey, deliver, startReceiver } from '../support/tenants/webhooks.ts';

const BASE = '/external/webhook';
const HEADERS = { Authorization: 'Bearer s3cret-of-the-receiver', 'X-Team': 'Security' };
const NAMES = Object.keys(HEADERS);

let acme: TestCompany;
let hooks: Awaited<ReturnType<typeof createWebhookKey>>;
/** The endpoint that wrong headers leave as it is. */
let refused: string | undefined;
let app: Awaited<ReturnType<typeof startApp>>;
beforeAll(async () => {
  acme = await createCompany();
  hooks = await createWebhookKey(acme);
  app = await startApp({ services });
});
afterAll(() => app.stop());

const rest = (method: string, path: string, body?: unknown) =>
  http(method, `${BASE}${path}`, { key: hooks.key, baseUrl: app.url, ...(body !== undefined && { body }) });

/** Creates an endpoint with a receiver. */
async function createHook(headers: Record<string, string> = HEADERS) {
  const receiver = await startReceiver();
  const { uniqueId: webhook } = await hooks.caller.webhook.create({ url: receiver.url, events: ['task.*'], headers });
  return { ...receiver, webhook };
}

const stored = async (webhook: string) =>
  (
    await sql<{ encrypted: string | null; row: string }>(
      'select encrypted_headers as encrypted, w::text as row from webhook w where unique_id = $1',
      webhook,
    )
  )[0];

describe('headers of an endpoint', () => {
  test('are sent with each event and test, beside those of the service', async () => {
    const hook = await createHook({ ...HEADERS, 'user-agent': 'Acme/1' });
    await acme.newTask();
    await hooks.caller.webhook.test({ webhook: hook.webhook });
    await deliver(acme);
    expect(hook.types().toSorted()).toEqual(['task.create', 'webhook.test']);
    for (const { headers } of hook.requests)
      expect(headers).toMatchObject({
        authorization: HEADERS.Authorization,
        'x-team': 'Security',
        'user-agent': 'Acme/1',
        'content-type': 'application/json',
        'webhook-signature': expect.stringMatching(/^v1,/),
      });
  });

  test('are an array of names in every response, and their values are in none', async () => {
    const url = 'https://hooks.example.com/compliance';
    const created = await rest('POST', '/new', { url, headers: HEADERS });
    const { uniqueId } = created.body as { uniqueId: string };
    const responses = [
      created,
      await rest('GET', `/${uniqueId}/item`),
      await rest('PATCH', `/${uniqueId}/edit`, { description: 'x' }),
    ];
    for (const { body } of responses) expect(body).toMatchObject({ headers: NAMES });
    const listed = await rest('GET', '/list');
    expect([...responses, listed].map(({ text }) => text).join('')).not.toContain('s3cret');
    expect((await rest('POST', '/new', { url })).body).toMatchObject({ headers: [] });
  });

  test('stay without a change of them; a change replaces all, and an empty object removes them', async () => {
    const hook = await createHook();
    const change = (fields: object) => hooks.caller.webhook.update({ webhook: hook.webhook, ...fields });
    expect(await change({ description: 'x' })).toMatchObject({ headers: NAMES });
    expect(await change({ headers: { 'X-Other': '1' } })).toMatchObject({ headers: ['X-Other'] });
    await hooks.caller.webhook.test({ webhook: hook.webhook });
    await deliver(acme);
    expect(hook.requests.at(-1)?.headers).toMatchObject({ 'x-other': '1' });
    expect(hook.requests.at(-1)?.headers).not.toHaveProperty('authorization');
    expect(await change({ headers: {} })).toMatchObject({ headers: [] });
    expect(await stored(hook.webhook)).toMatchObject({ encrypted: null });
  });

  test('whose encryption key is lost can be replaced', async () => {
    const { webhook } = await createHook();
    await sql("update webhook set encrypted_headers = 'v1.00000000.lost' where unique_id = $1", webhook);
    const headers = { 'X-Team': '1' };
    expect(await hooks.caller.webhook.update({ webhook, headers })).toMatchObject({ headers: ['X-Team'] });
    await hooks.caller.webhook.delete({ webhook });
  });

  test('are encrypted at rest, and bound to their endpoint', async () => {
    const { webhook } = await createHook();
    const row = await stored(webhook);
    expect(row?.row).not.toContain('s3cret');
    const decrypted = services.encryption?.decrypt(row?.encrypted ?? '', webhookHeadersPlace(webhook));
    expect(JSON.parse(decrypted ?? '')).toEqual(HEADERS);
  });

  test('are audited by name: a new value alone is an event, the same headers are none', async () => {
    const { webhook } = await createHook();
    const change = (headers: Record<string, string>) => hooks.caller.webhook.update({ webhook, headers });
    await change({ ...HEADERS });
    await change({ ...HEADERS, 'X-Team': 'Audit' });
    await change({ 'X-Team': 'Audit' });
    const { items } = await hooks.caller.audit.list({ resourceType: 'webhook', resourceId: webhook });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(items.toReversed().map(({ changes }) => changes)).toMatchObject([
      { headers: NAMES, headersChangedAt: time },
      { headersChangedAt: { from: time, to: time } },
      { headers: { from: NAMES, to: ['X-Team'] }, headersChangedAt: { from: time, to: time } },
    ]);
    expect(Object.keys(items[1]?.changes ?? {})).toEqual(['headersChangedAt']);
    expect(JSON.stringify(await acme.events())).not.toMatch(/s3cret|"v1\./);
  });

  test.for([
    'Host',
    'Content-Type',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Expect',
    'Upgrade',
    'TE',
    'Trailer',
    'webhook-id',
    'WEBHOOK-X',
  ])('named %s are 400, because the service sets them', async (name) => {
    const { status, body } = await rest('POST', '/new', {
      url: 'https://hooks.example.com/',
      headers: { [name]: 'x' },
    });
    expect([status, body]).toEqual([400, { error: `headers.${name}: is set by the service, expected another header` }]);
  });

  test.for([
    ['a name that is no token', { 'X Team': 'x' }, /headers.*expected the name of an HTTP header/],
    ['a name with a line end', { 'X\r\nHost': 'x' }, /expected the name of an HTTP header/],
    ['an empty name', { '': 'x' }, /expected the name of an HTTP header/],
    ['a long name', { ['x'.repeat(101)]: 'x' }, /expected the name of an HTTP header of at most 100 characters/],
    ['names that differ in case only', { 'X-Team': '1', 'x-team': '2' }, /^headers\.x-team: expected only once/],
    [
      'a value with a line end',
      { 'X-Team': 'hidden\r\nHost: evil' },
      /^headers\.X-Team: expected 1 to 2048 printable ASCII/,
    ],
    ['a value with a tab', { 'X-Team': 'hidden\tx' }, /^headers\.X-Team: expected/],
    ['a value beyond ASCII', { 'X-Team': 'hiddenß' }, /^headers\.X-Team: expected/],
    ['a value with a space at its end', { 'X-Team': 'hidden ' }, /^headers\.X-Team: expected/],
    ['an empty value', { 'X-Team': '' }, /^headers\.X-Team: expected/],
    ['a long value', { 'X-Team': 'h'.repeat(2049) }, /^headers\.X-Team: expected/],
    ['a number', { 'X-Team': 1 }, /^headers\.X-Team: expected/],
    [
      '11 headers',
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-${index}`, 'x'])),
      /^headers: expected at most 10 headers$/,
    ],
    ['an array', ['X-Team'], /^headers: expected an object of header names and values$/],
    ['null', null, /^headers: expected an object/],
    [
      'an object as a value',
      { length: { length: { toString: null } } },
      /^headers\.length: expected 1 to \d+ printable/,
    ],
    ['__proto__', JSON.parse('{"__proto__":"x"}') as object, /^headers: expected an object/],
  ] as const)('are 400 for %s, and nothing changes', async ([, headers, message]) => {
    const webhook = (refused ??= (await createHook()).webhook);
    const body = `{"description":"changed","headers":${JSON.stringify(headers)}}`;
    const response = await rest('PATCH', `/${webhook}/edit`, JSON.parse(body));
    const { error } = response.body as { error: string };
    expect([response.status, error]).toEqual([400, expect.stringMatching(message)]);
    expect(error).not.toContain('hidden');
    expect(await hooks.caller.webhook.get({ webhook })).toMatchObject({ description: '', headers: NAMES });
  });
});
