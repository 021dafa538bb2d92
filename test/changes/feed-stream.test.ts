import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { MAX_SCANNED_SEALS } from '../../procedures/changes/router.ts';
import { test } from '../support/fixtures/test.ts';
import { http, url } from '../support/http/server.ts';
import { callerForKey } from '../support/tenants/company.ts';
import { insertEvents, insertSeals, readAll, seal } from '../support/tenants/feed.ts';

const PATH = '/external/changes';
const headers = { Accept: 'application/x-ndjson' };

/** Streams the feed. @returns the events, and the cursor of the last line */
async function stream(key: string, query = '') {
  const response = await http('GET', `${PATH}${query}`, { key, headers });
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson' } });
  const lines = response.text.split('\n');
  expect(lines.pop()).toBe('');
  const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = values.pop();
  expect(Object.keys(last ?? {})).toEqual(['cursor']);
  return { items: values, cursor: String(last?.['cursor']) };
}

describe('the change feed as NDJSON', () => {
  test('has every event that is there, over several pages, and the cursor on the last line', async ({ acme }) => {
    await insertEvents(acme, 900);
    await seal(acme);
    const all = await readAll(await callerForKey(acme.key), { limit: 500 });
    expect(all.items).toHaveLength(905);
    expect(await stream(acme.key)).toEqual(all);
  });

  test('starts after a cursor, and has only a cursor if nothing follows or with from=now', async ({ acme }) => {
    await seal(acme);
    const { cursor } = await stream(acme.key);
    expect(await stream(acme.key, `?cursor=${cursor}`)).toEqual({ items: [], cursor });
    expect(await stream(acme.key, '?from=now')).toEqual({ items: [], cursor });
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await seal(acme);
    const next = await stream(acme.key, `?cursor=${cursor}`);
    expect(next.items).toMatchObject([{ action: 'vendor.create', deleted: false }]);
    expect(await (await callerForKey(acme.key)).changes.list({ cursor: next.cursor })).toMatchObject({ items: [] });
  });

  test('passes pages whose events are all hidden from a limited key', async ({ acme }) => {
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const { key } = await acme.manage.apiKey.create({ name: 'Limited', frameworks: [acme.framework] });
    await insertEvents(acme, MAX_SCANNED_SEALS + 100, other.id);
    await acme.vendor.create({ name: 'Behind them' });
    await seal(acme);
    const { items } = await stream(key);
    expect(items).toHaveLength(8);
    expect(items.at(-1)).toMatchObject({ changes: { name: 'Behind them' }, sequence: MAX_SCANNED_SEALS + 108 });
  });

  test.for([
    ['?limit=5', 400, 'limit: not allowed with Accept: application/x-ndjson'],
    ['?wait=5', 400, 'wait: not allowed with Accept: application/x-ndjson'],
    ['?cursor=x', 400, 'cursor: expected a cursor'],
    ['?from=then', 400, 'from: expected now'],
  ] as const)('rejects %s before the first line', async ([query, status, error], { acme }) => {
    const response = await http('GET', `${PATH}${query}`, { key: acme.key, headers });
    expect(response).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  test('has no body for HEAD', async ({ acme }) => {
    expect(await http('HEAD', PATH, { key: acme.key, headers })).toMatchObject({ status: 200, text: '' });
    expect(await http('HEAD', PATH, { key: acme.key })).toMatchObject({ status: 200, text: '' });
  });

  test('is aborted, and not completed, when its API key is revoked', async ({ acme }) => {
    await insertEvents(acme, 3000, 0, 10_000);
    await insertSeals(acme);
    const sent = request(`${url}${PATH}`, { headers: { 'X-API-Key': acme.key, ...headers }, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.on('error', () => {}); // the response has the error too
    await acme.manage.apiKey.revoke({ uniqueId: acme.apiKey.uniqueId });
    await expect(text(response)).rejects.toThrow('aborted');
  });
});
