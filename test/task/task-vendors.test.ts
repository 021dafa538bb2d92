import { beforeAll, describe, expect, test } from 'vitest';
import { asOwner, sql } from '../support/database/database.ts';
import { callerWithPermissions, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

let acme: TestCompany;
beforeAll(async () => {
  acme = await createCompany();
});

const newVendor = async (name = 'Cloud Ltd') => (await acme.vendor.create({ name })).uniqueId;
const linksOf = (task: string) => sql(`select vendor_id from task_vendor where task_id = $1 order by 1`, task);

describe('the vendors of a task', () => {
  test('are created, changed and cleared, and kept in a table with foreign keys', async () => {
    const [cloud, mail] = [await newVendor(), await newVendor('Mail Ltd')];
    const task = await acme.newTask({ vendors: [mail, cloud] });
    expect(task.vendors).toEqual([mail, cloud]);
    expect(await linksOf(task.uniqueId)).toEqual([{ vendor_id: cloud }, { vendor_id: mail }]);
    const { uniqueId: taskUniqueId } = task;
    expect(await acme.task.update({ taskUniqueId, vendors: [cloud] })).toMatchObject({ vendors: [cloud], version: 2 });
    expect(await linksOf(taskUniqueId)).toEqual([{ vendor_id: cloud }]);
    expect(await acme.task.update({ taskUniqueId, vendors: [cloud] })).toMatchObject({ version: 2 });
    expect(await acme.task.update({ taskUniqueId, vendors: [] })).toMatchObject({ vendors: [], version: 3 });
    expect(await linksOf(taskUniqueId)).toEqual([]);
    await acme.task.update({ taskUniqueId, vendors: [mail] });
    await acme.task.delete({ taskUniqueId });
    expect(await linksOf(taskUniqueId)).toEqual([]);
  });

  test('may be archived, and are of the company', async () => {
    const archived = await newVendor();
    await acme.vendor.update({ vendor: archived, status: 'archived' });
    expect(await acme.newTask({ vendors: [archived] })).toMatchObject({ vendors: [archived] });
    const other = await createCompany();
    const { uniqueId: foreign } = await other.vendor.create({ name: 'Foreign' });
    const error = { code: 'UNPROCESSABLE_CONTENT', message: expect.stringContaining(`unknown: ${foreign}`) };
    await expect(acme.newTask({ vendors: [archived, foreign] })).rejects.toMatchObject(error);
    const { uniqueId: taskUniqueId } = await acme.newTask();
    await expect(acme.task.update({ taskUniqueId, vendors: [foreign] })).rejects.toMatchObject(error);
    const put = { framework: acme.framework, source: 'jira', externalId: foreign, title: 'Review', vendors: [foreign] };
    await expect(acme.task.putByExternalId(put)).rejects.toMatchObject(error);
  });

  test('are at most 20, each once', async () => {
    const vendor = await newVendor();
    const twice = acme.newTask({ vendors: [vendor, vendor] });
    await expect(twice).rejects.toThrow('vendors: expected each id once');
    const many = acme.newTask({ vendors: Array.from({ length: 21 }, () => vendor) });
    await expect(many).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'vendors: expected at most 20 vendors' });
    await expect(acme.newTask({ vendors: ['cloud'] })).rejects.toThrow('vendors.0: expected the uniqueId of a vendor');
  });

  test('stay in a PUT that replaces and does not send them', async () => {
    const vendor = await newVendor();
    const put = { framework: acme.framework, source: 'jira', externalId: 'T-1', title: 'Review' };
    await acme.task.putByExternalId({ ...put, vendors: [vendor] });
    expect((await acme.task.putByExternalId({ ...put, mode: 'replace', title: 'Renew' })).item.vendors).toEqual([
      vendor,
    ]);
    expect((await acme.task.putByExternalId({ ...put, vendors: [] })).item.vendors).toEqual([]);
  });

  test('are a filter of both lists', async () => {
    const [cloud, mail] = [await newVendor(), await newVendor('Mail Ltd')];
    const both = await acme.newTask({ vendors: [cloud, mail], labels: ['x'] });
    const one = await acme.newTask({ vendors: [mail] });
    const ids = async (query: object) => {
      const { items = [], total } = await acme.task.listAll({ limit: 10, sort: 'createdAt', ...query });
      expect(total).toBe(items.length);
      return items.map(({ uniqueId }) => uniqueId);
    };
    expect(await ids({ vendor: mail })).toEqual([both.uniqueId, one.uniqueId]);
    expect(await ids({ vendor: cloud })).toEqual([both.uniqueId]);
    expect(await ids({ vendor: mail, label: 'x', evidence: 'none', assignee: 'none' })).toEqual([both.uniqueId]);
    expect(await ids({ vendor: mail, status: 'done' })).toEqual([]);
    expect(await acme.task.list({ framework: acme.framework, vendor: mail })).toEqual({ total: 2 });
    await expect(acme.task.listAll({ vendor: 'x' })).rejects.toThrow('vendor: expected the uniqueId of a vendor');
  });
});

describe('a vendor that is deleted', () => {
  test('leaves its tasks, each with its event and version, without a right on them', async () => {
    const [cloud, mail] = [await newVendor(), await newVendor('Mail Ltd')];
    const task = await acme.newTask({ vendors: [cloud, mail] });
    const other = await acme.newTask({ vendors: [mail] });
    const limited = callerWithPermissions(acme, { scopes: ['vendor:delete', 'vendor:read'], frameworks: [] });
    await limited.vendor.delete({ vendor: cloud });
    expect(await acme.task.get({ taskUniqueId: task.uniqueId })).toMatchObject({ vendors: [mail], version: 2 });
    expect(await acme.task.get({ taskUniqueId: other.uniqueId })).toEqual(other);
    const { items } = await acme.task.history({ taskUniqueId: task.uniqueId });
    expect(items[0]).toMatchObject({
      action: 'task.update',
      changes: { vendors: { from: [cloud, mail], to: [mail] } },
      actor: acme.apiKey.user,
    });
    expect(items).toHaveLength(2);
  });

  test('is 409 with their number if more than 1,000 tasks name it', async () => {
    const vendor = await newVendor();
    const user = acme.apiKey.user.uniqueId;
    await asOwner(
      (run) =>
        run(
          `insert into task (company_id, unique_id, framework_id, title, vendors, created_by_id, updated_by_id)
          select $1::int, gen_random_uuid(), $2::int, 'Task ' || i, array[$3::uuid], $4::uuid, $4::uuid
          from generate_series(1, 1001) i`,
          acme.id,
          acme.framework,
          vendor,
          user,
        ),
      { company: acme.id, user },
    );
    const error = { code: 'CONFLICT', message: expect.stringContaining('1001 tasks') };
    await expect(acme.vendor.delete({ vendor })).rejects.toMatchObject(error);
    const { items = [] } = await acme.task.list({ framework: acme.framework, vendor, limit: 1 });
    await acme.task.update({ taskUniqueId: items[0]?.uniqueId ?? '', vendors: [] });
    await acme.vendor.delete({ vendor });
    expect(await acme.task.list({ framework: acme.framework, vendor })).toEqual({ total: 0 });
  });

  test('never stays in a task that is changed at the same time', async () => {
    for (let round = 0; round < 15; round++) {
      const [cloud, mail] = [await newVendor(), await newVendor('Mail Ltd')];
      const tasks = await Promise.all([[], [cloud], [mail, cloud], [mail]].map((vendors) => acme.newTask({ vendors })));
      const changes = tasks.map(({ uniqueId }, index) =>
        acme.task.update({ taskUniqueId: uniqueId, vendors: index % 2 === 0 ? [cloud] : [mail, cloud] }).then(
          () => 'changed',
          (error: unknown) => String(error),
        ),
      );
      const deletions = [cloud, mail].map((vendor) => acme.vendor.delete({ vendor }));
      const created = acme.newTask({ vendors: [cloud] }).then(
        () => 'changed',
        (error: unknown) => String(error),
      );
      await Promise.all(deletions);
      for (const result of [...(await Promise.all(changes)), await created])
        expect(result).toMatch(/^changed$|unknown: /);
      for (const { uniqueId } of tasks) expect((await acme.task.get({ taskUniqueId: uniqueId })).vendors).toEqual([]);
    }
    expect(
      await sql(`select t.unique_id from task t cross join unnest(t.vendors) v (id)
      where not exists (select from vendor where unique_id = v.id)`),
    ).toEqual([]);
  });
});
