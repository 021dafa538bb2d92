import { afterAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { sessionCookie } from '../../server/auth/cookies.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileRows } from '../support/storage/evidence-files.ts';
import { createFileCompany, createFileKey, idOf, startEvidenceServer } from '../support/storage/evidence-server.ts';
import { createMember, services } from '../support/tenants/member.ts';

const { url, stop, ask, upload, expectNothing } = await startEvidenceServer(await temporaryFolder(), 100_000);
afterAll(stop);
const acme = await createFileCompany();

describe('the evidence of another company', () => {
  test('is 404, and so is its content', async () => {
    const other = await createFileCompany();
    const id = idOf(await upload(other, 'secret'));
    for (const path of [`/external/evidence/${id}/content`, `${other.path}/list`])
      expect(await ask(acme.key, 'GET', path)).toMatchObject({ status: 404 });
    expect(await upload({ ...acme, path: other.path }, 'x')).toMatchObject({ status: 404 });
    expect(await ask(acme.key, 'GET', '/external/evidence/list')).not.toMatchObject({
      text: expect.stringContaining(id),
    });

    const ann = await createMember(acme);
    const cookie = sessionCookie(services.appUrl).header(ann.token).split(';', 1).join('');
    const page = { Cookie: cookie, Origin: url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await fetch(`${url}/session/evidence/${id}/content`, { headers: page })).status).toBe(404);
    const path = other.path.replace('/external', '/session');
    expect((await fetch(`${url}${path}/new?name=x`, { method: 'POST', headers: page, body: 'x' })).status).toBe(404);
    const own = await fetch(`${url}${acme.path.replace('/external', '/session')}/new?name=x`, {
      method: 'POST',
      headers: page,
      body: 'x',
    });
    expect(own.status).toBe(201);
    expect((await fileRows(other.id)).map(({ uses }) => uses)).toEqual([1]);
  });
});

describe('a key', () => {
  test('of another framework gets 403', async () => {
    const { id: framework } = await acme.manage.framework.create({ name: 'SOC 2' });
    const limited = await createFileKey(acme, { frameworks: [framework] });
    const id = idOf(await upload(acme, 'x'));
    for (const path of [`/external/evidence/${id}/content`, `${acme.path}/list`])
      expect(await ask(limited, 'GET', path)).toMatchObject({ status: 403 });
    expect(await upload({ ...acme, key: limited }, 'x')).toMatchObject({ status: 403 });
    expect((await ask(limited, 'GET', '/external/evidence/list')).text).not.toContain(id);
  });

  test.for([
    ['evidence:read', 'content'],
    ['task:read', 'content'],
    ['task:read', 'item'],
  ] as const)('without %s gets 403 for GET %s of the evidence of a task', async ([missing, end]) => {
    const id = idOf(await upload(acme, 'x'));
    const key = await createFileKey(acme, { scopes: SCOPES.filter((scope) => scope !== missing) });
    expect(await ask(key, 'GET', `/external/evidence/${id}/${end}`)).toMatchObject({ status: 403 });
  });

  test('without evidence:write or task:read cannot upload, and nothing is kept', async () => {
    const empty = await createFileCompany();
    for (const missing of ['evidence:write', 'task:read']) {
      const key = await createFileKey(empty, { scopes: SCOPES.filter((scope) => scope !== missing) });
      expect(await upload({ ...empty, key }, 'x')).toMatchObject({ status: 403 });
    }
    await expectNothing(empty);
  });
});
