import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { http, url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import type { AppRouter } from '../../procedures/index.ts';

const VENDOR = '/external/smart-inventory/vendor';

const clientOf = ({ key }: TestCompany) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers: { 'X-API-Key': key } })] });

const lostEdit = { data: { httpStatus: 412, errorCode: 'precondition_failed' } };

describe('etag over tRPC', () => {
  test('is in no list', async ({ acme }) => {
    const { task, vendor } = clientOf(acme);
    await task.create.mutate({ framework: acme.framework, title: 'Review' });
    await vendor.create.mutate({ name: 'Cloud' });
    const lists = [
      await task.list.query({ framework: acme.framework, limit: 1 }),
      await vendor.list.query({ view: 'full', limit: 1 }),
    ];
    expect(JSON.stringify(lists)).toContain('Review');
    expect(JSON.stringify(lists)).not.toContain('etag');
  });
});

describe('ifMatch over tRPC', () => {
  test('holds for both updates of a vendor and for its deletion', async ({ acme }) => {
    const { vendor: vendors } = clientOf(acme);
    const { uniqueId: vendor, etag: old } = await vendors.create.mutate({ name: 'Cloud' });
    await vendors.update.mutate({ vendor, name: 'Cloud 2', ifMatch: old });
    for (const ifMatch of [old, '', '*', '2', `W/${old}`]) {
      await expect(vendors.update.mutate({ vendor, name: 'lost', ifMatch })).rejects.toMatchObject(lostEdit);
      await expect(vendors.updateAndGet.mutate({ vendor, name: 'lost', ifMatch })).rejects.toMatchObject(lostEdit);
      await expect(vendors.delete.mutate({ vendor, ifMatch })).rejects.toMatchObject(lostEdit);
    }
    const { etag } = await vendors.get.query({ vendor });
    expect(await vendors.updateAndGet.mutate({ vendor, name: 'Cloud 3', ifMatch: etag })).toMatchObject({
      name: 'Cloud 3',
      version: 3,
    });
    const { etag: last } = await vendors.get.query({ vendor });
    await vendors.delete.mutate({ vendor, ifMatch: last });
    await expect(vendors.get.query({ vendor })).rejects.toMatchObject({ data: { httpStatus: 404 } });
  });

  test.each(['"1-00000000"', 'x'.repeat(41)])('%j is not a tag', async (ifMatch) => {
    const { vendor: vendors } = clientOf(await createCompany());
    const { uniqueId: vendor } = await vendors.create.mutate({ name: 'Cloud' });
    await expect(vendors.update.mutate({ vendor, name: 'x', ifMatch })).rejects.toMatchObject({
      message: 'ifMatch: expected an etag, without quotes',
      data: { httpStatus: 400 },
    });
  });

  test('is an unknown field where nothing is changed', async () => {
    const { vendor: vendors } = clientOf(await createCompany());
    const { uniqueId: vendor, etag } = await vendors.create.mutate({ name: 'Cloud' });
    const input = { vendor, ifMatch: etag };
    await expect(vendors.get.query(input)).rejects.toMatchObject({ message: 'ifMatch: unknown field' });
  });
});

describe('REST', () => {
  test('takes ifMatch in no body and no query', async ({ acme }) => {
    const { uniqueId: vendor, etag: ifMatch } = await acme.vendor.create({ name: 'Cloud' });
    const { uniqueId: task, etag } = await acme.task.create({ framework: acme.framework, title: 'Review' });
    for (const [method, path, body] of [
      ['PATCH', `${VENDOR}/${vendor}/edit`, { name: 'x', ifMatch }],
      ['PATCH', `/external/task/${task}/edit`, { title: 'x', ifMatch: etag }],
      ['DELETE', `${VENDOR}/${vendor}/delete?ifMatch=${ifMatch}`, undefined],
      ['DELETE', `/external/task/${task}/delete?ifMatch=${etag}`, undefined],
    ] as const) {
      const response = await http(method, path, { key: acme.key, body });
      expect(response).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^ifMatch: unknown /) } });
    }
    expect(await acme.vendor.get({ vendor })).toMatchObject({ name: 'Cloud', version: 1 });
  });

  test('has no etag in a body, also of batches and upserts', async () => {
    const { key, framework } = await createCompany();
    const bodies = [];
    const created = await http('POST', `${VENDOR}/new`, { key, body: { name: 'Cloud' } });
    const { uniqueId } = created.body as { uniqueId: string };
    const headers = { Prefer: 'return=representation' };
    bodies.push(created.body);
    bodies.push((await http('GET', `${VENDOR}/${uniqueId}/item`, { key })).body);
    bodies.push((await http('PATCH', `${VENDOR}/${uniqueId}/edit`, { key, headers, body: { name: 'x' } })).body);
    bodies.push((await http('POST', `/external/task/framework/${framework}/new`, { key, body: { title: 'x' } })).body);
    for (const body of bodies) {
      expect(body).toMatchObject({ version: expect.any(Number) });
      expect(body).not.toHaveProperty('etag');
    }
    const items = [{ op: 'create', body: { name: 'Paper' } }];
    const batch = await http('POST', `${VENDOR}/batch`, { key, body: { items } });
    expect(batch.body).toMatchObject({ results: [{ status: 201, etag: expect.any(String) }] });
    expect(JSON.stringify(batch.body).match(/"etag"/g)).toHaveLength(1);
  });

  test('documents neither', () => {
    const { Vendor, Task } = openApi.components.schemas as Record<string, { properties: object }>;
    expect(Vendor?.properties).toHaveProperty('version');
    expect(Vendor?.properties).not.toHaveProperty('etag');
    expect(Task?.properties).not.toHaveProperty('etag');
    const text = JSON.stringify(openApi);
    expect(text).not.toMatch(/TaggedTask|TaggedVendor/);
    const withIfMatch = Object.entries(openApi.components.schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('"ifMatch"'),
    );
    expect(withIfMatch.map(([name]) => name).filter((name) => !name.includes('Batch'))).toEqual([]);
  });
});
