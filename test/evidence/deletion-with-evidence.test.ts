import { describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

const acme = await createCompany();
const { framework } = acme;
const keyWith = async (...scopes: Parameters<TestCompany['manage']['apiKey']['create']>[0]['scopes'] & object) =>
  (await acme.manage.apiKey.create({ name: 'Deleter', scopes })).key;
const plain = await keyWith('task:delete', 'vendor:delete', 'task:write', 'audit:read');
const full = await keyWith('task:delete', 'vendor:delete', 'evidence:delete', 'audit:read');
const LACKS = 'scope: the key lacks evidence:delete';

async function provenTask() {
  const { uniqueId } = await acme.newTask();
  return { uniqueId, evidence: await addEvidence(acme, { taskUniqueId: uniqueId }) };
}
async function provenVendor() {
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  return { uniqueId, evidence: await addEvidence(acme, { vendor: uniqueId }) };
}

describe('deleting a task or vendor with evidence', () => {
  test('needs evidence:delete over REST and tRPC, and deletes the evidence first', async () => {
    const [narrow, wide] = [await callerForKey(plain), await callerForKey(full)];
    const task = await provenTask();
    const vendor = await provenVendor();
    const paths = [
      `/external/task/${task.uniqueId}/delete`,
      `/external/smart-inventory/vendor/${vendor.uniqueId}/delete`,
    ];
    for (const path of paths)
      expect(await http('DELETE', path, { key: plain })).toMatchObject({ status: 403, body: { error: LACKS } });
    const forbidden = { code: 'FORBIDDEN', message: LACKS };
    await expect(narrow.task.delete({ taskUniqueId: task.uniqueId })).rejects.toMatchObject(forbidden);
    await expect(narrow.vendor.delete({ vendor: vendor.uniqueId })).rejects.toMatchObject(forbidden);
    for (const path of paths) expect(await http('DELETE', path, { key: full })).toMatchObject({ status: 204 });
    for (const { type, uniqueId, evidence } of [
      { type: 'task', ...task },
      { type: 'vendor', ...vendor },
    ]) {
      const { items } = await wide.audit.list({ parent: uniqueId });
      expect(items.map(({ action }) => action)).toEqual(['evidence.delete', 'evidence.create']);
      expect(items[0]).toMatchObject({
        resource: { type: 'evidence', uniqueId: evidence },
        parent: { type, uniqueId },
        actor: { name: 'Deleter' },
        changes: { kind: 'link', name: 'Access review' },
      });
      // Newest first.
      const { items: all } = await wide.audit.list({ limit: 100 });
      const ids = all.map((event) => event.uniqueId);
      const deletion = all.find((event) => event.action === `${type}.delete` && event.resource.uniqueId === uniqueId);
      expect(ids.indexOf(deletion?.uniqueId ?? '')).toBeGreaterThanOrEqual(0);
      expect(ids.indexOf(deletion?.uniqueId ?? '')).toBeLessThan(ids.indexOf(items[0]?.uniqueId ?? ''));
    }
  });

  test('needs it by external id and in batches', async () => {
    const narrow = await callerForKey(plain);
    const reference = { source: 'jira', externalId: 'SEC-9' };
    const { item } = await acme.task.putByExternalId({ framework, ...reference, title: 'Renew' });
    await addEvidence(acme, { taskUniqueId: item.uniqueId });
    const byReference = narrow.task.deleteByExternalId({ framework, ...reference });
    await expect(byReference).rejects.toThrow(LACKS);
    const { uniqueId } = await provenTask();
    const bare = await acme.newTask();
    const items = [
      { op: 'delete' as const, uniqueId },
      { op: 'delete' as const, uniqueId: bare.uniqueId },
    ];
    await expect(narrow.task.batch({ atomic: true, items })).rejects.toThrow(
      'items.0.scope: the key lacks evidence:delete',
    );
    const batch = await narrow.task.batch({ items });
    expect(batch.results).toEqual([
      { index: 0, status: 403, code: 'forbidden', error: LACKS },
      { index: 1, status: 204 },
    ]);
    expect(await acme.task.get({ taskUniqueId: uniqueId })).toMatchObject({ evidenceCount: 1 });
  });

  test('needs nothing more without evidence, and none of another company counts', async () => {
    const narrow = await callerForKey(plain);
    const rival = await createCompany('Rival');
    await addEvidence(rival, { taskUniqueId: (await rival.newTask()).uniqueId });
    const { uniqueId: task } = await acme.newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'A' });
    await narrow.task.delete({ taskUniqueId: task });
    await narrow.vendor.delete({ vendor });
    await expect(acme.task.get({ taskUniqueId: task })).rejects.toThrow('task: not found');
    await expect(acme.vendor.get({ vendor })).rejects.toThrow('vendor: not found');
  });

  test('is checked after 404 and the framework, and before If-Match', async () => {
    const { uniqueId } = await provenTask();
    const send = (id: string, key: string) =>
      http('DELETE', `/external/task/${id}/delete`, { key, headers: { 'If-Match': '"9-00000000"' } });
    expect(await send(newUniqueId(), plain)).toMatchObject({ status: 404 });
    expect(await send(uniqueId, plain)).toMatchObject({ status: 403, body: { error: LACKS } });
    expect(await send(uniqueId, full)).toMatchObject({ status: 412 });
    const { id } = await acme.manage.framework.create({ name: 'NIS 2' });
    const limited = await acme.manage.apiKey.create({ name: 'Limited', scopes: ['task:delete'], frameworks: [id] });
    expect(await send(uniqueId, limited.key)).toMatchObject({
      status: 403,
      body: { error: `framework: the key may not access framework ${framework}` },
    });
  });

  test('is open to editors and admins, whose roles have the scope', async () => {
    for (const role of ['editor', 'admin'] as const) {
      const { caller } = await createMember(acme, { role });
      const { uniqueId: task } = await provenTask();
      const { uniqueId: vendor } = await provenVendor();
      await caller.task.delete({ taskUniqueId: task });
      await caller.vendor.delete({ vendor });
      await expect(acme.task.get({ taskUniqueId: task })).rejects.toThrow('task: not found');
      await expect(acme.vendor.get({ vendor })).rejects.toThrow('vendor: not found');
    }
  });
});
