import { describe, expect, test } from 'vitest';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';

const acme = await createCompany();
const caller = await callerForKey(acme.key);
const { task, vendor } = caller;
const { framework } = acme;
const get = (path: string) => http('GET', path, { key: acme.key });

describe('evidenceCount of a task', () => {
  test('is the number now in every response with a whole task, and no part of version and ETag', async () => {
    const created = await acme.newTask();
    const { uniqueId: taskUniqueId } = created;
    expect(created.evidenceCount).toBe(0);
    await addEvidence(acme, { taskUniqueId });
    await addEvidence(acme, { taskUniqueId });
    await addEvidence(acme, { taskUniqueId: (await acme.newTask()).uniqueId });
    expect(await task.get({ taskUniqueId })).toEqual({ ...created, evidenceCount: 2 });
    const { items = [] } = await task.list({ framework, limit: 10, sort: 'createdAt' });
    expect(items.map(({ evidenceCount }) => evidenceCount)).toEqual([2, 1]);
    const { items: ofAll = [] } = await task.listAll({ limit: 1, sort: 'createdAt' });
    expect(ofAll).toMatchObject([{ uniqueId: taskUniqueId, evidenceCount: 2 }]);
    expect(await task.update({ taskUniqueId, priority: 1 })).toMatchObject({ version: 2, evidenceCount: 2 });
    expect(await task.update({ taskUniqueId, priority: 1 })).toMatchObject({ version: 2, evidenceCount: 2 });
    const rest = await get(`/external/task/${taskUniqueId}/item`);
    expect(rest).toMatchObject({ status: 200, body: { evidenceCount: 2, version: 2 } });
    const unchanged = await http('GET', `/external/task/${taskUniqueId}/item`, {
      key: acme.key,
      headers: { 'If-None-Match': String(rest.headers['etag']) },
    });
    expect(unchanged.status).toBe(304);
  });

  test('is in the results of a PUT, a link and a batch', async () => {
    const key = { framework, source: 'jira', externalId: 'SEC-1' };
    const { item } = await task.putByExternalId({ ...key, title: 'Renew' });
    expect(item.evidenceCount).toBe(0);
    await addEvidence(acme, { taskUniqueId: item.uniqueId });
    for (const title of ['Renew', 'Renew it'])
      expect(await task.putByExternalId({ ...key, title })).toMatchObject({ item: { evidenceCount: 1 } });
    expect(await task.getByExternalId(key)).toMatchObject({ evidenceCount: 1 });
    const linked = await task.link({ taskUniqueId: item.uniqueId, source: 'jira', externalId: 'SEC-2' });
    expect(linked.evidenceCount).toBe(1);
    const { results } = await task.batch({
      items: [
        { op: 'create', framework, body: { title: 'New' } },
        { op: 'update', uniqueId: item.uniqueId, body: { priority: 1 } },
      ],
    });
    expect(results).toMatchObject([{ item: { evidenceCount: 0 } }, { item: { evidenceCount: 1 } }]);
  });

  test('is null in the past, and no part of history and exports', async () => {
    const { uniqueId: taskUniqueId } = await acme.newTask({ title: 'Past' });
    await addEvidence(acme, { taskUniqueId });
    const asOf = new Date(Date.now() + 1000).toISOString();
    expect(await task.get({ taskUniqueId, asOf })).toMatchObject({ title: 'Past', evidenceCount: null });
    const { items } = await task.history({ taskUniqueId });
    expect(items).toHaveLength(1);
    expect(items[0]?.changes).not.toHaveProperty('evidenceCount');
    const exported = await task.export({ framework, q: 'Past' });
    expect(exported.items).toHaveLength(1);
    expect(exported.items[0]).not.toHaveProperty('evidenceCount');
    expect((await task.exportCsv({ framework })).content).not.toContain('evidenceCount');
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const { text } = await http('GET', `/external/task/framework/${framework}/list`, {
        key: acme.key,
        headers: { Accept: accept },
      });
      expect(text).toContain('externalIds');
      expect(text).not.toContain('evidenceCount');
    }
  });
});

describe('evidenceCount of a vendor', () => {
  test('is the number now in every response with a whole vendor, and no part of the bare list', async () => {
    const created = await vendor.create({ name: 'Cloud Ltd' });
    const { uniqueId } = created;
    expect(created.evidenceCount).toBe(0);
    await addEvidence(acme, { vendor: uniqueId });
    expect(await vendor.get({ vendor: uniqueId })).toEqual({ ...created, evidenceCount: 1 });
    expect(await vendor.updateAndGet({ vendor: uniqueId, name: 'Cloud' })).toMatchObject({
      version: 2,
      evidenceCount: 1,
    });
    expect(await vendor.list({ view: 'full', limit: 10 })).toMatchObject([{ evidenceCount: 1 }]);
    expect(await vendor.list()).toEqual([{ uniqueId, name: 'Cloud', status: 'active' }]);
    const { item } = await vendor.putByExternalId({ source: 'erp', externalId: '1', name: 'Host' });
    expect(item.evidenceCount).toBe(0);
    expect(await vendor.getByExternalId({ source: 'erp', externalId: '1' })).toMatchObject({ evidenceCount: 0 });
    const asOf = new Date(Date.now() + 1000).toISOString();
    expect(await vendor.get({ vendor: uniqueId, asOf })).toMatchObject({ evidenceCount: null });
    const { items } = await vendor.export();
    expect(items).toHaveLength(2);
    for (const row of items) expect(row).not.toHaveProperty('evidenceCount');
    expect((await vendor.exportCsv()).content).not.toContain('evidenceCount');
    const { items: events } = await vendor.history({ vendor: uniqueId });
    for (const { changes } of events) expect(changes).not.toHaveProperty('evidenceCount');
  });
});
