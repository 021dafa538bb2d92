import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { FrozenError } from '../../../entities/company/freezing.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser, statusAndCode } from '../../support/http/browser.ts';
import { operatorHeaders } from '../../support/http/client.ts';
import { callTool, valueOf } from '../../support/http/mcp.ts';
import { http, serverStorage } from '../../support/http/server.ts';
import type { HttpResponse } from '../../support/http/server.ts';
import { callerForKey, createCompany, operator, operatorCaller } from '../../support/tenants/company.ts';
import type { TestCompany } from '../../support/tenants/company.ts';
import { setCompanyFrozen } from '../../support/cells/frozen.ts';
import { createMember, services } from '../../support/tenants/member.ts';
import { PASSWORD, passwordHash, updateMember, shown } from '../../support/tenants/sign-in.ts';
import { sql } from '../../support/database/database.ts';

const VENDORS = '/external/smart-inventory/vendor';
const MESSAGE = 'The company is being moved to another cell. Try again shortly.';

const lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push(line) });
const app = await startApp({ services: { ...services, storage: serverStorage }, log });
afterAll(() => app.stop());

const browserOf = ({ token }: { token: string }) => new Browser(app.url, { cookie: `session-3000=${token}` });
const vendor = (key: string, options: { headers?: Record<string, string>; body?: unknown; query?: string } = {}) =>
  http('POST', `${VENDORS}/new`, { key, body: { name: 'Cloud Inc' }, ...options });
const retry = ({ status, headers }: HttpResponse) => [status, headers['x-error-code'], headers['retry-after']];
const FROZEN = [503, 'unavailable', '5'];

/** Events and rows of a company. */
const stored = async ({ id }: Pick<TestCompany, 'id'>) => {
  const counts = [
    'audit_event',
    'vendor',
    'task',
    'import',
    'file',
    'watch',
    'view',
    'inbox_item',
    'idempotency_record',
    'proof',
  ].map((table) => `select '${table}' as name, count(*)::int as count from ${table} where company_id = ${id}`);
  return sql(counts.join(' union all '));
};

describe('a frozen company', () => {
  test('rejects writes after the check of scopes and before the media type, and writes nothing', async () => {
    const acme = await createCompany();
    const { key: reader } = await acme.manage.apiKey.create({ name: 'Reader', scopes: ['vendor:read'] });
    await setCompanyFrozen(acme, true);
    const before = await stored(acme);
    const response = await vendor(acme.key);
    expect([retry(response), response.body]).toEqual([FROZEN, { error: MESSAGE }]);
    expect((await vendor('svc_sk_live_unknown')).status).toBe(401);
    expect((await vendor(reader)).status).toBe(403);
    const wrong = { 'Content-Type': 'text/plain' };
    expect((await vendor(reader, { headers: wrong, body: 'x' })).status).toBe(403);
    expect((await vendor(acme.key, { headers: wrong, body: 'x' })).status).toBe(503);
    expect((await vendor(acme.key, { body: '{' })).status).toBe(503);
    expect((await vendor(acme.key, { body: { name: 1 } })).status).toBe(503);
    expect((await vendor(acme.key, { headers: { 'Idempotency-Key': randomUUID(), ...wrong }, body: '{' })).status).toBe(
      503,
    );
    expect((await http('PATCH', `${VENDORS}/${randomUUID()}/edit`, { key: acme.key, body: {} })).status).toBe(503);
    expect(await stored(acme)).toEqual(before);
    await setCompanyFrozen(acme, false);
    expect((await vendor(acme.key, { headers: wrong, body: 'x' })).status).toBe(415);
    expect((await vendor(acme.key, { body: { name: 1 } })).status).toBe(400);
    expect((await vendor(acme.key)).status).toBe(201);
  });

  test('rejects them alike on every transport, and logs no failure', async () => {
    const acme = await createCompany();
    const admin = await createMember(acme);
    const caller = await callerForKey(acme.key);
    await setCompanyFrozen(acme, true);
    lines.length = 0;
    const overTrpc = (headers: Record<string, string>, name: string, body: object) =>
      http('POST', `/trpc/${name}`, { baseUrl: app.url, headers, body });
    const trpc = await overTrpc({ 'X-API-Key': acme.key }, 'vendor.create', { name: 'Cloud Inc' });
    expect(retry(trpc)).toEqual([503, undefined, '5']);
    expect(trpc.body).toMatchObject({ error: { message: MESSAGE, data: { errorCode: 'unavailable' } } });
    const tool = await callTool(acme.key, 'vendor_create', { name: 'Cloud Inc' });
    expect([tool.isError, valueOf(tool)]).toEqual([true, { error: MESSAGE, code: 'unavailable', status: 503 }]);
    await expect(caller.vendor.create({ name: 'Cloud Inc' })).rejects.toMatchObject({ cause: new FrozenError() });
    await expect((await callerForKey(acme.key)).vendor.create({ name: 'Cloud Inc' })).rejects.toThrow(MESSAGE);
    const page = browserOf(admin);
    for (const [name, input] of [
      ['task.create', { framework: acme.framework, title: 'Late' }],
      ['view.create', { name: 'Late', page: 'tasks', query: '', shared: false }],
      ['inbox.read', {}],
      ['management.framework.create', { name: 'Late' }],
      ['management.sso.remove', {}],
    ] as const)
      expect((await page.send('POST', `/trpc/${name}`, input)).status).toBe(503);
    const asOperator = await overTrpc(operatorHeaders(acme.id), 'management.gap.create', {});
    expect(retry(asOperator)).toEqual([503, undefined, '5']);
    expect((await overTrpc(operatorHeaders(acme.id), 'management.company.close', { name: 'Acme' })).status).toBe(503);
    await expect(operator.company.update({ id: acme.id, leakedKeys: 'report' })).rejects.toThrow(MESSAGE);
    expect(lines.filter((line) => /failed|unavailable/.test(line))).toEqual([]);
  });

  test('responds to reads, and verifies the audit log', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Inc' });
    const admin = await createMember(acme);
    await setCompanyFrozen(acme, true);
    expect((await http('GET', `${VENDORS}/${uniqueId}/item`, { key: acme.key })).status).toBe(200);
    expect((await http('GET', '/external/api-key/whoami', { key: acme.key })).status).toBe(200);
    expect(valueOf(await callTool(acme.key, 'vendor_get', { vendor: uniqueId }))).toMatchObject({ uniqueId });
    expect((await browserOf(admin).query('account.get')).status).toBe(200);
    expect((await operatorCaller(acme).management.audit.verify({})).intact).toBe(true);
    const { items } = await acme.manage.audit.list({});
    expect(items[0]).toMatchObject({
      action: 'company.update',
      actor: { uniqueId: OPERATOR.uniqueId },
      changes: { frozenAt: { from: null, to: expect.any(String) } },
    });
    expect(await operator.company.list()).toContainEqual(
      expect.objectContaining({ id: acme.id, frozenAt: expect.any(String) }),
    );
  });

  test('runs dry runs on every transport, which write nothing', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud Inc' });
    const { uniqueId: deleted } = await acme.vendor.create({ name: 'Old Inc' });
    await setCompanyFrozen(acme, true);
    const before = await stored(acme);
    const caller = await callerForKey(acme.key);
    const reference = { source: 'tool', externalId: '1' };
    const put = (query: string) =>
      http('PUT', `${VENDORS}/by/tool/1${query}`, { key: acme.key, body: { name: 'Other' } });
    expect((await put('?dryRun=true')).status).toBe(201);
    expect((await put('')).status).toBe(503);
    expect((await put('?dryRun=false')).status).toBe(503);
    const tried = { ...reference, name: 'Other', dryRun: true };
    expect(await caller.vendor.putByExternalId(tried)).toMatchObject({ upsert: 'created' });
    await expect(caller.vendor.putByExternalId({ ...tried, dryRun: false })).rejects.toThrow(MESSAGE);
    expect(valueOf(await callTool(acme.key, 'vendor_putByExternalId', tried))).toMatchObject({ upsert: 'created' });
    const items = [
      { op: 'create', body: { name: 'New' } },
      { op: 'update', uniqueId, body: { name: 'Renamed' } },
      { op: 'delete', uniqueId: deleted },
    ];
    const batch = (query: string) => http('POST', `${VENDORS}/batch${query}`, { key: acme.key, body: { items } });
    expect((await batch('?dryRun=true')).body).toMatchObject({ succeeded: 3, failed: 0 });
    expect((await batch('')).status).toBe(503);
    const overTrpc = { headers: { 'X-API-Key': acme.key }, body: { items, dryRun: true } };
    expect((await http('POST', '/trpc/vendor.batch', overTrpc)).status).toBe(200);
    expect((await http('POST', `${VENDORS}/import?dryRun=true`, { key: acme.key, body: [] })).status).toBe(503);
    expect(await stored(acme)).toEqual(before);
  });

  test('replays the response of an Idempotency-Key, and rejects a new one', async () => {
    const acme = await createCompany();
    const first = randomUUID();
    const headers = { 'Idempotency-Key': first };
    const created = await vendor(acme.key, { headers });
    await setCompanyFrozen(acme, true);
    const replayed = await vendor(acme.key, { headers });
    expect([replayed.status, replayed.text, replayed.headers['idempotency-replayed']]).toEqual([
      201,
      created.text,
      'true',
    ]);
    expect((await vendor(acme.key, { headers, body: { name: 'Another' } })).status).toBe(422);
    expect(retry(await vendor(acme.key, { headers: { 'Idempotency-Key': randomUUID() } }))).toEqual(FROZEN);
    await setCompanyFrozen(acme, false);
    expect((await vendor(acme.key, { headers })).headers['idempotency-replayed']).toBe('true');
  });

  test('lets its members sign in, but change neither their name nor how they sign in', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const ann = await createMember(acme, { password: passwordHash });
    const inRival = await createMember(rival, { email: ann.email });
    await setCompanyFrozen(acme, true);
    const browser = new Browser(app.url);
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([204]);
    expect((await browser.send('GET', '/session')).status).toBe(200);
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(204);
    expect((await browser.send('POST', '/trpc/account.notifications.update', { summary: false })).status).toBe(200);
    const change = { current: PASSWORD, password: `${PASSWORD} longer` };
    const changePassword = () => browser.send('POST', '/trpc/account.changePassword', change);
    expect((await changePassword()).status).toBe(503);
    expect((await browser.send('POST', '/trpc/account.endSession', { uniqueId: randomUUID() })).status).toBe(404);
    const rename = () => browser.send('POST', '/trpc/account.update', { name: 'Anna' });
    expect((await rename()).status).toBe(503);
    expect((await browser.send('PATCH', '/session', { company: rival.id })).status).toBe(204);
    expect((await rename()).status).toBe(503);
    expect((await changePassword()).status).toBe(503);
    const names = () =>
      sql<{ name: string }>('select name from company_user where unique_id = any($1::uuid[])', [
        ann.uniqueId,
        inRival.uniqueId,
      ]);
    expect((await names()).map(({ name }) => name)).toEqual(['Ann', 'Ann']);
    await setCompanyFrozen(acme, false);
    expect((await rename()).status).toBe(200);
    expect((await names()).map(({ name }) => name)).toEqual(['Anna', 'Anna']);
    expect((await changePassword()).status).toBe(200);
  });

  test('keeps who its members are: a person who has left cannot delete the account until it is unfrozen', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { role: 'editor', password: passwordHash });
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    await setCompanyFrozen(acme, true);
    const erase = () => new Browser(app.url).send('POST', '/session/delete', { email: ann.email, password: PASSWORD });
    expect(statusAndCode(await erase())).toEqual([503, 'unavailable']);
    expect(await sql('select person_id from member where unique_id = $1', ann.uniqueId)).toEqual([
      { person_id: ann.person },
    ]);
    await setCompanyFrozen(acme, false);
    expect((await erase()).status).toBe(204);
  });

  test('keeps an invitation until it is unfrozen', async () => {
    const acme = await createCompany();
    const admin = await createMember(acme);
    const email = `${randomUUID()}@new.example`;
    const link = shown(await admin.caller.management.member.invite({ email, role: 'editor' }));
    await setCompanyFrozen(acme, true);
    const token = link.split('/').at(-1);
    const accept = () =>
      new Browser(app.url).send('POST', '/session/invitation', { token, name: 'New', password: PASSWORD });
    expect(statusAndCode(await accept())).toEqual([503, 'unavailable']);
    await setCompanyFrozen(acme, false);
    expect((await accept()).status).toBe(204);
  });
});
