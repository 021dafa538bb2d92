import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const VENDORS = 40;

describe('responses of /trpc', () => {
  let url: string;
  let member: Record<string, string>;
  let key: Record<string, string>;
  beforeAll(async () => {
    const server = await startApp({});
    ({ url } = server);
    const company = await createCompany();
    const items = Array.from({ length: VENDORS }, (_, index) => ({
      op: 'create' as const,
      body: { name: `Vendor ${index}`, description: 'Keeps the data of our customers.' },
    }));
    await company.vendor.batch({ items });
    const { token } = await createMember(company);
    member = { Cookie: `session-${new URL(url).port}=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    key = { 'X-API-Key': company.key };
    return server.stop;
  });

  const read = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${url}/trpc/${path}`, { headers });
    return {
      coding: response.headers.get('Content-Encoding'),
      vary: response.headers.get('Vary'),
      text: await response.text(),
    };
  };

  test('are compressed for a page of the application, and have the same text', async () => {
    const compressed = await read('vendor.page', { ...member, 'Accept-Encoding': 'gzip' });
    expect(compressed).toMatchObject({ coding: 'gzip', vary: expect.stringContaining('Accept-Encoding') });
    const plain = await read('vendor.page', { ...member, 'Accept-Encoding': 'identity' });
    expect(plain.coding).toBeNull();
    expect(compressed.text).toBe(plain.text);
    expect(plain.text).toContain('Vendor 39');
  });

  test('are sent as they are in a streamed batch, and to a key', async () => {
    const gzip = { 'Accept-Encoding': 'gzip' };
    const streamed = { ...member, ...gzip, 'trpc-accept': 'application/jsonl' };
    expect(await read('vendor.page?batch=1', streamed)).toMatchObject({ coding: null });
    expect(await read('vendor.page', { ...key, ...gzip })).toMatchObject({ coding: null });
  });
});
