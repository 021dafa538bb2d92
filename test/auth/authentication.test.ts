import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { Replicas } from '../../database/postgresql/replicas.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { generateRawKey, hashRawKey } from '../../entities/api-key/raw-key.ts';
import { findApiKeyByHash, updateLastUsed } from '../../entities/statements/api-key.ts';
import { companyExists, listCompanies } from '../../entities/statements/company.ts';
import { countVendors } from '../../entities/statements/vendor/list.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// Who may enter, without a database: the driver answers with the rows that a test gives. management.test.ts and
// key-life.test.ts hold the service to the same.

const TOKEN = 'operator-token-of-these-tests-0123456789';
const NOW = new Date('2026-11-21T12:00:00.000Z');
const DAY_MS = 86_400_000;
const KEY = generateRawKey();
interface KeyState {
  enabled?: boolean;
  expires_at?: string;
  revoked_at?: string;
  previous_hash_expires_at?: string;
}
const ROW = {
  company_id: 7,
  unique_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  enabled: true,
  expires_at: null,
  revoked_at: null,
  scopes: ['task:read'],
  frameworks: [5],
  cidrs: ['10.0.0.0/8'],
  user_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  user_name: 'Ticket sync',
  previous_hash_expires_at: null,
};
const PRINCIPAL = {
  company: 7,
  key: ROW.unique_id,
  user: { uniqueId: ROW.user_id, name: 'Ticket sync', kind: 'integration' },
  scopes: ['task:read'],
  frameworks: [5],
  cidrs: ['10.0.0.0/8'],
};

afterEach(() => void vi.useRealTimers());

/** Some time after that moment, or before it. */
const timeOffset = (milliseconds: number) => new Date(NOW.getTime() + milliseconds).toISOString();

/** A house with company 7 and its one key. */
function createFixture(keyState: KeyState = {}) {
  const isKnownKey = (hash: unknown) => Buffer.isBuffer(hash) && hash.toString('hex') === hashRawKey(KEY);
  const driver = stubDriver({
    [findApiKeyByHash.name]: ({ values: [hash] }) => (isKnownKey(hash) ? [{ ...ROW, ...keyState }] : []),
    [companyExists.name]: ({ values: [id] }) => (id === 7 ? [{ id }] : []),
    [listCompanies.name]: () => [],
    [countVendors.name]: () => [],
    [updateLastUsed.name]: () => [],
  });
  const replicaStatements: string[] = [];
  const replicas = new Replicas((bound, terms) => {
    replicaStatements.push(bound.name);
    return driver.run(bound, terms);
  }, []);
  const database = new Database({ ...driver, replicas });
  const { apiKey, anyCredential: any } = createAuthentication(database, TOKEN);
  const asked = (headers: IncomingHttpHeaders) => ({ headers, address: '10.0.0.1', requestId: 'r-1' });
  return {
    database,
    driver,
    atReplicas: replicaStatements,
    byKey: (headers: IncomingHttpHeaders, reads?: boolean) =>
      apiKey({ ...asked(headers), ...(reads !== undefined && { readOnly: reads }) }),
    byAny: (headers: IncomingHttpHeaders, reads?: boolean) =>
      any({ ...asked(headers), ...(reads !== undefined && { readOnly: reads }) }),
    statements: () => driver.calls.map(({ statement: { name } }) => name),
  };
}

const apiError = (code: string, message: string) => expect.objectContaining({ name: 'ApiError', code, message });
const INVALID_KEY = apiError('unauthorized', 'X-API-Key: not a valid key');
const INVALID_TOKEN = apiError('unauthorized', 'Authorization: not the operator’s token');

describe('a key', () => {
  test('is asked for', async () => {
    const { byKey, byAny, statements } = createFixture();
    await expect(byKey({})).rejects.toEqual(apiError('unauthorized', 'X-API-Key: required'));
    await expect(byKey({ authorization: `Bearer ${TOKEN}` })).rejects.toEqual(
      apiError('unauthorized', 'X-API-Key: required'),
    );
    await expect(byAny({})).rejects.toEqual(apiError('unauthorized', 'X-API-Key or Authorization: required'));
    expect(statements()).toEqual([]);
  });

  test.for<[string, string | string[]]>([
    ['empty', ''],
    ['of another form', 'secret'],
    ['one with a wrong checksum', `${KEY.slice(0, -1)}${KEY.endsWith('a') ? 'b' : 'a'}`],
    ['given twice', `${KEY}, ${KEY}`],
    ['a list', [KEY]],
  ])('that is %s is not looked up', async ([, given]) => {
    const { byKey, byAny, statements } = createFixture();
    await expect(byKey({ 'x-api-key': given })).rejects.toEqual(INVALID_KEY);
    await expect(byAny({ 'x-api-key': given, authorization: `Bearer ${TOKEN}` })).rejects.toEqual(INVALID_KEY);
    expect(statements()).toEqual([]);
  });

  test('that nobody has is no valid one', async () => {
    const { byKey, statements } = createFixture();
    await expect(byKey({ 'x-api-key': generateRawKey() })).rejects.toEqual(INVALID_KEY);
    expect(statements()).toEqual([findApiKeyByHash.name]);
  });

  test.for<[string, KeyState, ReturnType<typeof apiError>]>([
    ['is disabled', { enabled: false }, apiError('key_disabled', 'X-API-Key: the key is disabled')],
    ['has expired', { expires_at: timeOffset(0) }, apiError('key_expired', 'X-API-Key: the key has expired')],
    ['is revoked', { revoked_at: timeOffset(-DAY_MS) }, INVALID_KEY],
    ['was rotated, and whose overlap is over', { previous_hash_expires_at: timeOffset(0) }, INVALID_KEY],
  ])('that %s is refused, and no use of it is noted', async ([, life, refusal]) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const { byKey, database, statements } = createFixture(life);
    await expect(byKey({ 'x-api-key': KEY })).rejects.toEqual(refusal);
    await database.apiKeyLastUsed.flush();
    expect(statements()).toEqual([findApiKeyByHash.name]);
  });

  test('that works is its company’s and its user’s, whatever else the request names', async () => {
    const { byKey, byAny, database, driver } = createFixture();
    const others = { 'x-api-key': KEY, 'x-company-id': '8', authorization: `Bearer ${TOKEN}` };
    for (const enter of [byKey, byAny]) {
      const { context, headers } = await enter(others);
      expect(headers).toEqual({});
      expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'apiKey' });
      expect(context.session.principal).toEqual(PRINCIPAL);
    }
    await database.apiKeyLastUsed.flush();
    const last = driver.calls.at(-1)?.statement;
    expect(last?.name).toBe(updateLastUsed.name);
    expect(last?.values.slice(0, 2)).toEqual([[7], [ROW.unique_id]]);
  });

  test('is looked up for two seconds at most, of every company, and once', async () => {
    const { byKey, driver } = createFixture();
    const before = performance.now();
    await byKey({ 'x-api-key': KEY });
    await byKey({ 'x-api-key': KEY });
    expect(driver.calls).toHaveLength(1);
    const [{ statement: bound, deadline: until, pipelined: isBrief, write: writes } = expect.fail()] = driver.calls;
    expect({ isBrief, writes, told: bound.settings?.values }).toEqual({ isBrief: true, writes: false, told: ['0'] });
    expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.apiKeyLookup);
    expect(until - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.apiKeyLookup);
  });

  test('is looked up again once a session has told that keys were changed', async () => {
    const { byKey, statements } = createFixture();
    const { context } = await byKey({ 'x-api-key': KEY });
    context.session.invalidateApiKeys();
    await byKey({ 'x-api-key': KEY });
    expect(statements()).toEqual([findApiKeyByHash.name, findApiKeyByHash.name]);
  });
});

describe('an answer warns', () => {
  const warnings = async (life: KeyState) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    return (await createFixture(life).byKey({ 'x-api-key': KEY })).headers;
  };

  test('from 14 days before the key expires', async () => {
    expect(await warnings({ expires_at: timeOffset(14 * DAY_MS + 1) })).toEqual({});
    expect(await warnings({ expires_at: timeOffset(14 * DAY_MS) })).toEqual({
      'X-API-Key-Expires': '2026-12-05T12:00:00.000Z',
    });
    expect(await warnings({ expires_at: timeOffset(1) })).toEqual({ 'X-API-Key-Expires': '2026-11-21T12:00:00.001Z' });
  });

  test('while an old secret still works, of what ends it first', async () => {
    const [soon, late] = [timeOffset(60_000), timeOffset(30 * DAY_MS)];
    expect(await warnings({ previous_hash_expires_at: soon })).toEqual({ 'X-API-Key-Rotated': soon });
    expect(await warnings({ previous_hash_expires_at: soon, expires_at: late })).toEqual({ 'X-API-Key-Rotated': soon });
    expect(await warnings({ previous_hash_expires_at: late, expires_at: soon })).toEqual({
      'X-API-Key-Expires': soon,
      'X-API-Key-Rotated': soon,
    });
  });
});

describe('the operator', () => {
  test.for<IncomingHttpHeaders>([
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: TOKEN },
    { authorization: `Bearer${TOKEN}` },
    { authorization: `Basic ${TOKEN}` },
    { authorization: `x Bearer ${TOKEN}` },
    { authorization: `Bearer ${TOKEN} x` },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Bearer ${TOKEN.slice(1)}` },
    { authorization: `Bearer ${TOKEN.toUpperCase()}` },
    { authorization: `Bearer x`, 'x-company-id': '7' },
  ])('is nobody with %o', async (headers) => {
    const { byAny, statements } = createFixture();
    await expect(byAny(headers)).rejects.toEqual(INVALID_TOKEN);
    expect(statements()).toEqual([]);
  });

  test.for([`Bearer ${TOKEN}`, `bearer   ${TOKEN}`])(
    'enters with %s, and stands for no company',
    async (authorization) => {
      const { byAny, byKey, driver, statements } = createFixture();
      await expect(byKey({ authorization })).rejects.toMatchObject({ code: 'unauthorized' });
      const { context, headers } = await byAny({ authorization });
      expect(headers).toEqual({});
      expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'operator' });
      expect(context.session.principal).toBeNull();
      expect(statements()).toEqual([]);
      const before = performance.now();
      await context.session.run(listCompanies, {});
      await context.session.run(listCompanies, {});
      const [until = NaN, other] = driver.calls.map((asked) => asked.deadline);
      expect(other).toBe(until);
      expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
      expect(until - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.request);
    },
  );

  const inCompany = (named: string) => ({ authorization: `Bearer ${TOKEN}`, 'x-company-id': named });

  test('stands for the company that the request names', async () => {
    const { byAny, driver } = createFixture();
    const before = performance.now();
    const { context, headers } = await byAny(inCompany('7'));
    expect(headers).toEqual({});
    expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'operator' });
    expect(context.session.principal).toEqual(operatorPrincipal(7));
    const [{ statement: bound, deadline: until } = expect.fail()] = driver.calls;
    expect([bound.name, bound.values, driver.calls.length]).toEqual([companyExists.name, [7], 1]);
    expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.apiKeyLookup);
    expect(until - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.apiKeyLookup);
  });

  test('finds no company that is not there, and asks for none that cannot be', async () => {
    const { byAny, statements } = createFixture();
    const none = apiError('not_found', 'X-Company-Id: not found');
    for (const named of ['', '0', '-7', '07', '7.0', ' 7', '7 ', '7x', 'x7', '2147483648', '12345678901']) {
      await expect(byAny(inCompany(named))).rejects.toEqual(none);
    }
    expect(statements()).toEqual([]);
    await expect(byAny(inCompany('8'))).rejects.toEqual(none);
    await expect(byAny(inCompany('2147483647'))).rejects.toEqual(none);
    expect(statements()).toEqual([companyExists.name, companyExists.name]);
  });
});

test('who asks has what is left of a request’s time, the look-up taken off', async () => {
  for (const headers of [{ 'x-api-key': KEY }, { authorization: `Bearer ${TOKEN}`, 'x-company-id': '7' }]) {
    const { byAny, driver } = createFixture();
    const before = performance.now();
    const { context } = await byAny(headers);
    await context.session.run(listCompanies, {});
    await context.session.run(listCompanies, {});
    const [until = NaN, later] = driver.calls.slice(-2).map((asked) => asked.deadline);
    expect(later).toBe(until);
    expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
    expect(until - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.request);
  }
});

test('what only reads may be answered by a replica, and nothing else may; who asks is never asked there', async () => {
  for (const headers of [{ 'x-api-key': KEY }, { authorization: `Bearer ${TOKEN}`, 'x-company-id': '7' }]) {
    for (const reads of [true, false, undefined]) {
      const { byAny, atReplicas } = createFixture();
      const { context } = await byAny(headers, reads);
      await context.session.run(countVendors, { status: null, q: null });
      expect(atReplicas).toEqual(reads === true ? [countVendors.name] : []);
    }
  }
});
