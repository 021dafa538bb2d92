import { describe, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const acme = await createCompany();

const get = (path: string) => http('GET', path, { key: acme.key });
const taskListPath = () => `/external/task/framework/${acme.framework}/list`;

describe('a timestamp in a query string may have a + that is not percent-encoded', () => {
  test.for(['updatedSince', 'since', 'until', 'asOf'])('%s', async (name) => {
    const { uniqueId } = await acme.newTask();
    const path =
      { updatedSince: taskListPath(), asOf: `/external/task/${uniqueId}/item` }[name] ?? '/external/audit/list';
    const at = (text: string) => get(`${path}?${name}=${text}`);
    for (const year of [2026, 2200]) {
      const utc = await at(`${year}-01-01T09:00:00Z`);
      for (const text of [`${year}-01-01T10:00:00+01:00`, `${year}-01-01T10:00:00%2B01:00`]) {
        expect(await at(text)).toMatchObject({ status: utc.status, body: utc.body });
      }
    }
    for (const invalid of ['2026-01-01+10:00', '2026-01-01T10:00:00++01:00', '2026-01-01T10:00:00+1:00']) {
      expect(await at(invalid)).toMatchObject({ status: 400 });
    }
  });
});

test('the error for an unknown query parameter lists the known ones', async () => {
  const vendors = '/external/smart-inventory/vendor';
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud' });
  const cases = [
    [
      `${vendors}/list?limt=5`,
      'limt: unknown parameter; known: status, q, criticality, owner, label, review, nextReviewAfter, nextReviewBefore, contract, contractEndAfter, contractEndBefore, outcome, risk, updatedSince, evidence, sort, seed, view, limit, cursor',
    ],
    [`${vendors}/${uniqueId}/item?asof=x`, 'asof: unknown parameter; known: asOf'],
    ['/external/api-key/whoami?x=1', 'x: unknown parameter; known: none'],
    ['/external/api-key/whoami?x%00%0Ay=1', 'x y: unknown parameter; known: none'],
    ['/external/api-key/whoami?x%00=1&x%00=2', 'x : expected only once'],
    [`${taskListPath()}?framework=1`, /^framework: unknown parameter; known: status, /],
  ] as const;
  for (const [path, error] of cases) {
    expect(await get(path)).toMatchObject({
      status: 400,
      body: { error: typeof error === 'string' ? error : expect.stringMatching(error) },
    });
  }
  const post = await http('POST', `${vendors}/new?x=1`, { key: acme.key, body: { name: 'x' } });
  expect(post).toMatchObject({ status: 400, body: { error: 'x: unknown parameter; known: none' } });
});

test('the error for an unknown action lists all actions', async () => {
  const { status, text } = await get('/external/audit/list?action=task.creat');
  expect({ status, text }).toMatchObject({
    status: 400,
    text: expect.stringContaining('action: expected one of company.create,'),
  });
  for (const action of ['task.create', 'vendor.delete', 'apiKey.rotate', 'apiKey.revoke'])
    expect(text).toContain(action);
});

test('the error for unusable gaps lists their ids', async () => {
  const archived = await acme.manage.gap.create({ framework: acme.framework, title: 'Old' });
  await acme.manage.gap.archive({ id: archived.id });
  const other = await acme.manage.framework.create({ name: 'Other' });
  const foreign = await acme.manage.gap.create({ framework: other.id, title: 'Foreign' });
  const gaps = [2_147_483_647, acme.gap, archived.id, foreign.id];
  const error = `gaps: expected gaps of this framework that are not archived; cannot be used: 2147483647, ${archived.id}, ${foreign.id}`;
  const path = `/external/task/framework/${acme.framework}/new`;
  const created = await http('POST', path, { key: acme.key, body: { title: 'x', gaps } });
  expect(created).toMatchObject({ status: 422, body: { error } });
  const { uniqueId } = await acme.newTask({ gaps: [acme.gap] });
  const edited = await http('PATCH', `/external/task/${uniqueId}/edit`, { key: acme.key, body: { gaps } });
  expect(edited).toMatchObject({ status: 422, body: { error } });
  await expect(acme.task.update({ taskUniqueId: uniqueId, gaps })).rejects.toThrow(error);
});

test('an unknown path points to the documentation', async () => {
  for (const path of ['/nothing', '/external', '/external/vendor', '/docs/nothing']) {
    expect(await get(path)).toMatchObject({
      status: 404,
      body: { error: 'No such path. The paths are documented at /docs.' },
    });
  }
});
