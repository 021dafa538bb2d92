import { expect, describe, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { processLeakReport } from '../../procedures/api-key/leak-reports.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { database, sql } from '../support/database/database.ts';
import { closeCompany, eraseCompany } from '../support/database/erase.ts';
import { operatorHeaders } from '../support/http/client.ts';
import { postMcp } from '../support/http/mcp.ts';
import { http, serverStorage } from '../support/http/server.ts';
import { leakFinding } from '../support/servers/secret-scanner.ts';
import { OPERATOR_TOKEN, callerForKey, createCompany, operatorCaller } from '../support/tenants/company.ts';
import { seal } from '../support/tenants/feed.ts';
import { OTHER_CELL, moveAway } from '../support/cells/moved.ts';

// Contract, section 23: responses of a cell for a company that was moved away.

const MESSAGE = `The company was moved to ${OTHER_CELL}.`;
const VENDORS = '/external/smart-inventory/vendor';
const MISDIRECTED = { status: 421, headers: { 'x-error-code': 'misdirected' } };
const misdirected = { ...MISDIRECTED, body: { error: MESSAGE } };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('a key of a company that was moved away', () => {
  test('is 421 on every path below /external, whatever else is wrong, and another company is served', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const { key } = acme;
    expect((await http('GET', `${VENDORS}/list`, { key })).status).toBe(200);
    await moveAway(acme);
    const requests: [string, string, object?][] = [
      ['GET', `${VENDORS}/list`],
      ['POST', `${VENDORS}/new`, { name: 'Cloud Inc' }],
      ['POST', `${VENDORS}/new`, { nme: 1 }],
      ['GET', '/external/no/such/path'],
      ['PATCH', `${VENDORS}/list`, {}],
      ['GET', '/external/audit/list'],
      ['GET', '/external/changes'],
    ];
    for (const [method, path, body] of requests)
      expect(await http(method, path, { key, ...(body !== undefined && { body }) })).toMatchObject(misdirected);
    expect(await http('HEAD', `${VENDORS}/list`, { key })).toMatchObject(MISDIRECTED);
    expect((await http('GET', `${VENDORS}/list`, { key: rival.key })).status).toBe(200);
  });

  test('is 421 as problem details, at /trpc and at /mcp', async () => {
    const acme = await createCompany();
    const { key } = acme;
    await moveAway(acme);
    const problem = await http('GET', `${VENDORS}/list`, { key, headers: { Accept: 'application/problem+json' } });
    expect(JSON.parse(problem.text)).toMatchObject({
      title: 'Misdirected Request',
      status: 421,
      code: 'misdirected',
      detail: MESSAGE,
    });
    expect(await http('GET', '/trpc/vendor.list', { key })).toMatchObject({
      status: 421,
      body: { error: { message: MESSAGE, data: { httpStatus: 421, errorCode: 'misdirected', code: 'BAD_REQUEST' } } },
    });
    expect(await postMcp({ key, body: ping })).toMatchObject(misdirected);
    expect(await postMcp({ headers: { Authorization: `Bearer ${key}` }, body: ping })).toMatchObject(misdirected);
  });

  test('is 421 for a request that waits, and for a replay', async () => {
    const acme = await createCompany();
    const { key } = acme;
    const create = () =>
      http('POST', `${VENDORS}/new`, { key, headers: { 'Idempotency-Key': 'first' }, body: { name: 'Cloud Inc' } });
    expect((await create()).status).toBe(201);
    expect((await create()).headers['idempotency-replayed']).toBe('true');
    await seal(acme);
    const { cursor } = await (await callerForKey(key)).changes.list({ from: 'now' });
    const params = { name: 'changes_list', arguments: { cursor, wait: 30 } };
    const before = database.sealWaiters.count;
    const waiting = [
      http('GET', `/external/changes?cursor=${cursor}&wait=30`, { key }),
      postMcp({ key, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }),
    ];
    await expect.poll(() => database.sealWaiters.count, { timeout: 10_000 }).toBe(before + 2);
    await moveAway(acme);
    await seal(acme);
    for (const response of await Promise.all(waiting)) expect(response).toMatchObject(misdirected);
    expect(await create()).toMatchObject(misdirected);
  });

  test('is 401 if it is revoked, disabled or expired, and with another checksum', async () => {
    const acme = await createCompany();
    const { apiKey } = acme.manage;
    const [revoked, disabled, expired] = [
      await apiKey.create({ name: 'Revoked' }),
      await apiKey.create({ name: 'Disabled' }),
      await apiKey.create({ name: 'Expired', expiresAt: new Date(Date.now() + 1000).toISOString() }),
    ];
    await apiKey.revoke({ uniqueId: revoked.uniqueId });
    await apiKey.update({ uniqueId: disabled.uniqueId, enabled: false });
    await moveAway(acme);
    const codeOf = async (key: string) => {
      const { status, headers } = await http('GET', `${VENDORS}/list`, { key });
      return `${status} ${String(headers['x-error-code'])}`;
    };
    await expect.poll(() => codeOf(expired.key), { timeout: 5000 }).toBe('401 key_expired');
    expect(await codeOf(revoked.key)).toBe('401 unauthorized');
    expect(await codeOf(disabled.key)).toBe('401 key_disabled');
    expect(await codeOf(generateRawKey())).toBe('401 unauthorized');
    expect(await codeOf(acme.key)).toBe('421 misdirected');
  });

  test('that is found in public is not that of this cell, and does not stop the report of another one', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    await moveAway(acme);
    const findings = [acme, rival].map(({ key }) => leakFinding(key, 'https://github.com/o/r/blob/a/.env'));
    const { verdicts, keyIds } = await processLeakReport(database, 'report', findings);
    expect(verdicts.map(({ label }) => label)).toEqual(['false_positive', 'true_positive']);
    expect(keyIds).toEqual([rival.apiKey.uniqueId]);
    expect(await http('GET', `${VENDORS}/list`, { key: acme.key })).toMatchObject(misdirected);
  });

  test('leaves no trace of its use', async () => {
    const acme = await createCompany();
    await moveAway(acme);
    await Promise.all([database.apiKeyLastUsed.flush(), database.apiKeyUsage.flush()]);
    const used = () =>
      sql(
        `select last_used_at, (select count(*)::int from api_key_usage u where u.company_id = k.company_id) as days,
          (select coalesce(sum(requests), 0)::int from api_key_usage u where u.company_id = k.company_id) as requests
        from api_key k where company_id = $1`,
        acme.id,
      );
    const before = await used();
    const counts = await sql('select count(*)::int from audit_event where company_id = $1', acme.id);
    expect(await http('GET', `${VENDORS}/list`, { key: acme.key })).toMatchObject(misdirected);
    await Promise.all([database.apiKeyLastUsed.flush(), database.apiKeyUsage.flush()]);
    expect(await used()).toEqual(before);
    expect(await sql('select count(*)::int from audit_event where company_id = $1', acme.id)).toEqual(counts);
  });

  test('costs one look-up, which is cached', async () => {
    const acme = await createCompany();
    await moveAway(acme);
    const { apiKey } = createAuthentication(database, OPERATOR_TOKEN);
    const attempt = () => apiKey({ headers: { 'x-api-key': acme.key }, address: null, requestId: 'x' });
    await expect(attempt()).rejects.toThrow(MESSAGE);
    const cached = database.apiKeyCache.size.keys;
    await expect(attempt()).rejects.toThrow(MESSAGE);
    expect(database.apiKeyCache.size.keys).toBe(cached);
  });

  test('is 401 once the company is erased, and while it is closed', async () => {
    const [acme, closed] = [await createCompany(), await createCompany()];
    await closeCompany(closed, 'Acme');
    await moveAway(closed);
    expect((await http('GET', `${VENDORS}/list`, { key: closed.key })).status).toBe(401);
    await moveAway(acme);
    expect(await http('GET', `${VENDORS}/list`, { key: acme.key })).toMatchObject(misdirected);
    await eraseCompany(acme, 'Acme', serverStorage);
    database.apiKeyCache.invalidate();
    expect((await http('GET', `${VENDORS}/list`, { key: acme.key })).status).toBe(401);
  });
});

describe('the operator', () => {
  test('gets 421 for what belongs to a company that was moved away, and still lists and erases it', async () => {
    const acme = await createCompany();
    await moveAway(acme);
    const call = (method: string, name: string, body?: object, company?: number) =>
      http(method, `/trpc/management.${name}`, { headers: operatorHeaders(company), ...(body && { body }) });
    for (const [method, name, body] of [
      ['GET', 'framework.list'],
      ['GET', 'member.list'],
      ['POST', 'framework.create', { name: 'New' }],
      ['POST', 'sso.confirm', { domain: 'example.com' }],
    ] as const) {
      const response = await call(method, name, body, acme.id);
      expect([name, response.status]).toEqual([name, 421]);
      expect(response.body).toMatchObject({ error: { data: { errorCode: 'misdirected' } } });
    }
    const listed = await operatorCaller(acme).management.company.list();
    expect(listed.find(({ id }) => id === acme.id)).toMatchObject({
      name: 'Acme',
      closedAt: null,
      movedTo: OTHER_CELL,
    });
    for (const [name, body] of [
      ['company.close', { name: 'Acme' }],
      ['company.reopen', {}],
    ] as const) {
      const response = await call('POST', name, body, acme.id);
      expect(response).toMatchObject({
        status: 409,
        body: { error: { message: `company: ${acme.id} was moved to ${OTHER_CELL}` } },
      });
    }
  });
});
