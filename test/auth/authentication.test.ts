import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { Replicas } from '../../database/postgresql/replicas.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { generateRawKey, hashRawKey } from '../../entities/api-key/raw-key.ts';
import { findApiKeyByHash, updateLastUsed } from '../../entities/api-key/statements.ts';
import { companyExists, listCompanies } from '../../entities/company/statements.ts';
import { vendorListStatements } from '../../entities/vendor/list.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { NO_VENDOR_FILTERS } from '../support/fixtures/filters.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// Authentication without a database: a stub driver returns the rows of each test. management.test.ts and
// api-key-lifecycle.test.ts test the same rules in the service.

const TOKEN = 'operator-token-of-these-tests-0123456789';
const { count: countVendors } = vendorListStatements(NO_VENDOR_FILTERS, 'name');
const NOW = new Date('2026-11-21T12:00:00.000Z');
const DAY_MS = 86_400_000;
const KEY = generateRawKey();
interface KeyState {
  enabled?: boolean;
  expires_at?: string;
  revoked_at?: string;
  previous_hash_expires_at?: string;
  moved_to?: string;
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
  moved_to: null,
};
const PRINCIPAL = {
  company: 7,
  key: ROW.unique_id,
  user: { uniqueId: ROW.user_id, name: 'Ticket sync', kind: 'integration' },
  role: null,
  scopes: ['task:read'],
  frameworks: [5],
  cidrs: ['10.0.0.0/8'],
};

afterEach(() => void vi.useRealTimers());

/** Returns a timestamp relative to `NOW`. */
const timeOffset = (milliseconds: number) => new Date(NOW.getTime() + milliseconds).toISOString();

/** Creates an authentication with company 7 and its only API key. */
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
  const replicas = new Replicas((statement, options) => {
    replicaStatements.push(statement.name);
    return driver.run(statement, options);
  }, []);
  const database = new Database({ ...driver, replicas });
  const { apiKey, anyCredential } = createAuthentication(database, TOKEN);
  const credentials = (headers: IncomingHttpHeaders, readOnly?: boolean) => ({
    headers,
    address: '10.0.0.1',
    requestId: 'r-1',
    ...(readOnly !== undefined && { readOnly }),
  });
  return {
    database,
    driver,
    replicaStatements,
    withKey: (headers: IncomingHttpHeaders, readOnly?: boolean) => apiKey(credentials(headers, readOnly)),
    withAny: (headers: IncomingHttpHeaders, readOnly?: boolean) => anyCredential(credentials(headers, readOnly)),
    statements: () => driver.calls.map(({ statement: { name } }) => name),
  };
}

const apiError = (code: string, message: string) => expect.objectContaining({ name: 'ApiError', code, message });
const INVALID_KEY = apiError('unauthorized', 'X-API-Key: not a valid key');
const MOVED_TO = 'https://b.example.com';
const MISDIRECTED = apiError('misdirected', `The company was moved to ${MOVED_TO}.`);
const INVALID_TOKEN = apiError('unauthorized', 'Authorization: not the operator token');

describe('an API key', () => {
  test('is required', async () => {
    const { withKey, withAny, statements } = createFixture();
    await expect(withKey({})).rejects.toEqual(
      apiError('unauthorized', 'X-API-Key: required, or the key as Authorization: Bearer'),
    );
    await expect(withAny({})).rejects.toEqual(apiError('unauthorized', 'X-API-Key or Authorization: required'));
    expect(statements()).toEqual([]);
  });

  test.for(['Bearer', 'bearer  '])('may be a token of %s', async (scheme) => {
    const { withKey } = createFixture();
    const { context } = await withKey({ authorization: `${scheme} ${KEY}` });
    expect(context).toMatchObject({ caller: 'apiKey', session: { principal: PRINCIPAL } });
  });

  test('as a token is named in its errors, and rejected without a lookup if it is malformed', async () => {
    const { withKey, statements } = createFixture();
    const invalid = apiError('unauthorized', 'Authorization: not a valid key');
    for (const authorization of [`Bearer ${TOKEN}`, `Basic ${KEY}`, 'Bearer', `Bearer ${KEY}x`])
      await expect(withKey({ authorization })).rejects.toEqual(invalid);
    expect(statements()).toEqual([]);
    await expect(withKey({ authorization: `Bearer ${generateRawKey()}` })).rejects.toEqual(invalid);
  });

  test('and another one as a token are rejected without a lookup', async () => {
    const { withKey, statements } = createFixture();
    const twoKeys = apiError(
      'unauthorized',
      'Authorization: expected the key of X-API-Key, or only one of the headers',
    );
    for (const other of [generateRawKey(), `${KEY}x`])
      await expect(withKey({ 'x-api-key': KEY, authorization: `Bearer ${other}` })).rejects.toEqual(twoKeys);
    expect(statements()).toEqual([]);
  });

  test('is accepted beside itself as a token, and beside a token that is no API key', async () => {
    const { withKey } = createFixture();
    for (const authorization of [`Bearer ${KEY}`, 'Bearer a.gateway.token', 'Basic eDp5'])
      expect((await withKey({ 'x-api-key': KEY, authorization })).context.caller).toBe('apiKey');
  });

  test.for<[string, string | string[]]>([
    ['empty', ''],
    ['malformed', 'secret'],
    ['a key with a wrong checksum', `${KEY.slice(0, -1)}${KEY.endsWith('a') ? 'b' : 'a'}`],
    ['sent twice', `${KEY}, ${KEY}`],
    ['a list', [KEY]],
  ])('that is %s is rejected without a lookup', async ([, rawKey]) => {
    const { withKey, withAny, statements } = createFixture();
    await expect(withKey({ 'x-api-key': rawKey })).rejects.toEqual(INVALID_KEY);
    await expect(withAny({ 'x-api-key': rawKey, authorization: `Bearer ${TOKEN}` })).rejects.toEqual(INVALID_KEY);
    expect(statements()).toEqual([]);
  });

  test('that does not exist is rejected', async () => {
    const { withKey, statements } = createFixture();
    await expect(withKey({ 'x-api-key': generateRawKey() })).rejects.toEqual(INVALID_KEY);
    expect(statements()).toEqual([findApiKeyByHash.name]);
  });

  test.for<[string, KeyState, ReturnType<typeof apiError>]>([
    ['is disabled', { enabled: false }, apiError('key_disabled', 'X-API-Key: the key is disabled')],
    ['has expired', { expires_at: timeOffset(0) }, apiError('key_expired', 'X-API-Key: the key has expired')],
    ['is revoked', { revoked_at: timeOffset(-DAY_MS) }, INVALID_KEY],
    ['was rotated, with an expired overlap,', { previous_hash_expires_at: timeOffset(0) }, INVALID_KEY],
    ['belongs to a company that was moved away', { moved_to: MOVED_TO }, MISDIRECTED],
    [
      'is revoked, of a company that was moved away,',
      { moved_to: MOVED_TO, revoked_at: timeOffset(-DAY_MS) },
      INVALID_KEY,
    ],
    [
      'is disabled, of a company that was moved away,',
      { moved_to: MOVED_TO, enabled: false },
      apiError('key_disabled', 'X-API-Key: the key is disabled'),
    ],
  ])('that %s is rejected, and its use is not recorded', async ([, keyState, error]) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const { withKey, database, statements } = createFixture(keyState);
    await expect(withKey({ 'x-api-key': KEY })).rejects.toEqual(error);
    await database.apiKeyLastUsed.flush();
    expect(statements()).toEqual([findApiKeyByHash.name]);
  });

  test('determines company and user, and overrides other credentials', async () => {
    const { withKey, withAny, database, driver } = createFixture();
    const otherCredentials = { 'x-api-key': KEY, 'x-company-id': '8', authorization: `Bearer ${TOKEN}` };
    for (const authenticate of [withKey, withAny]) {
      const { context, headers } = await authenticate(otherCredentials);
      expect(headers).toEqual({});
      expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'apiKey' });
      expect(context.session.principal).toEqual(PRINCIPAL);
    }
    await database.apiKeyLastUsed.flush();
    const last = driver.calls.at(-1)?.statement;
    expect(last?.name).toBe(updateLastUsed.name);
    expect(last?.values.slice(0, 2)).toEqual([[7], [ROW.unique_id]]);
  });

  test('is looked up once, across all companies, with the lookup timeout', async () => {
    const { withKey, driver } = createFixture();
    const before = performance.now();
    await withKey({ 'x-api-key': KEY });
    await withKey({ 'x-api-key': KEY });
    expect(driver.calls).toHaveLength(1);
    const [{ statement, deadline, pipelined, write } = expect.fail()] = driver.calls;
    expect({ pipelined, write, settings: statement.settings?.values }).toEqual({
      pipelined: true,
      write: false,
      settings: ['0'],
    });
    expect(deadline - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.lookup);
    expect(deadline - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.lookup);
  });

  test('is looked up again after a session has invalidated the API keys', async () => {
    const { withKey, statements } = createFixture();
    const { context } = await withKey({ 'x-api-key': KEY });
    context.session.invalidateApiKeys();
    await withKey({ 'x-api-key': KEY });
    expect(statements()).toEqual([findApiKeyByHash.name, findApiKeyByHash.name]);
  });
});

describe('a response warns', () => {
  const warnings = async (keyState: KeyState) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    return (await createFixture(keyState).withKey({ 'x-api-key': KEY })).headers;
  };

  test('from 14 days before the API key expires', async () => {
    expect(await warnings({ expires_at: timeOffset(14 * DAY_MS + 1) })).toEqual({});
    expect(await warnings({ expires_at: timeOffset(14 * DAY_MS) })).toEqual({
      'X-API-Key-Expires': '2026-12-05T12:00:00.000Z',
    });
    expect(await warnings({ expires_at: timeOffset(1) })).toEqual({ 'X-API-Key-Expires': '2026-11-21T12:00:00.001Z' });
  });

  test('of the expiry of the previous secret, or of the API key if that is earlier', async () => {
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
  ])('is rejected with %o', async (headers) => {
    const { withAny, statements } = createFixture();
    await expect(withAny(headers)).rejects.toEqual(INVALID_TOKEN);
    expect(statements()).toEqual([]);
  });

  test.for([`Bearer ${TOKEN}`, `bearer   ${TOKEN}`])(
    'is authenticated with %s, without a company',
    async (authorization) => {
      const { withAny, withKey, driver, statements } = createFixture();
      await expect(withKey({ authorization })).rejects.toMatchObject({ code: 'unauthorized' });
      const { context, headers } = await withAny({ authorization });
      expect(headers).toEqual({});
      expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'operator' });
      expect(context.session.principal).toBeNull();
      expect(statements()).toEqual([]);
      const before = performance.now();
      await context.session.run(listCompanies, {});
      await context.session.run(listCompanies, {});
      const [deadline = NaN, secondDeadline] = driver.calls.map((call) => call.deadline);
      expect(secondDeadline).toBe(deadline);
      expect(deadline - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
      expect(deadline - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.request);
    },
  );

  const withCompany = (id: string) => ({ authorization: `Bearer ${TOKEN}`, 'x-company-id': id });

  test('acts for the company in X-Company-Id', async () => {
    const { withAny, driver } = createFixture();
    const before = performance.now();
    const { context, headers } = await withAny(withCompany('7'));
    expect(headers).toEqual({});
    expect(context).toMatchObject({ requestId: 'r-1', address: '10.0.0.1', caller: 'operator' });
    expect(context.session.principal).toEqual(operatorPrincipal(7));
    const [{ statement, deadline } = expect.fail()] = driver.calls;
    expect([statement.name, statement.values, driver.calls.length]).toEqual([companyExists.name, [7], 1]);
    expect(deadline - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.lookup);
    expect(deadline - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.lookup);
  });

  test('gets 404 for an unknown company, without a query for an invalid id', async () => {
    const { withAny, statements } = createFixture();
    const notFound = apiError('not_found', 'X-Company-Id: not found');
    for (const id of ['', '0', '-7', '07', '7.0', ' 7', '7 ', '7x', 'x7', '2147483648', '12345678901']) {
      await expect(withAny(withCompany(id))).rejects.toEqual(notFound);
    }
    expect(statements()).toEqual([]);
    await expect(withAny(withCompany('8'))).rejects.toEqual(notFound);
    await expect(withAny(withCompany('2147483647'))).rejects.toEqual(notFound);
    expect(statements()).toEqual([companyExists.name, companyExists.name]);
  });
});

test('a request has the request timeout, minus the time of its authentication', async () => {
  for (const headers of [{ 'x-api-key': KEY }, { authorization: `Bearer ${TOKEN}`, 'x-company-id': '7' }]) {
    const { withAny, driver } = createFixture();
    const before = performance.now();
    const { context } = await withAny(headers);
    await context.session.run(listCompanies, {});
    await context.session.run(listCompanies, {});
    const [deadline = NaN, secondDeadline] = driver.calls.slice(-2).map((call) => call.deadline);
    expect(secondDeadline).toBe(deadline);
    expect(deadline - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
    expect(deadline - performance.now()).toBeLessThanOrEqual(TIMEOUTS_MS.request);
  }
});

test('a replica serves only read-only requests, and never authenticates', async () => {
  for (const headers of [{ 'x-api-key': KEY }, { authorization: `Bearer ${TOKEN}`, 'x-company-id': '7' }]) {
    for (const readOnly of [true, false, undefined]) {
      const { withAny, replicaStatements } = createFixture();
      const { context } = await withAny(headers, readOnly);
      await context.session.run(countVendors, NO_VENDOR_FILTERS);
      expect(replicaStatements).toEqual(readOnly === true ? [countVendors.name] : []);
    }
  }
});
