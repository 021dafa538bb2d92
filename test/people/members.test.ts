import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMember, services } from '../support/tenants/member.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { startApp } from '../support/http/app.ts';

let acme: TestCompany;
let app: Awaited<ReturnType<typeof startApp>>;
beforeAll(async () => {
  acme = await createCompany();
  app = await startApp({ services });
});
afterAll(() => app.stop());

test('a member calls the business and management procedures with the session cookie', async () => {
  const ann = await createMember(acme, { role: 'admin' });
  const headers = { cookie: `session-3000=${ann.token}`, 'Sec-Fetch-Site': 'same-origin' };
  const framework = await fetch(`${app.url}/trpc/management.framework.list`, { headers });
  expect(framework.status).toBe(200);
  const created = await fetch(`${app.url}/trpc/vendor.create`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Cloud' }),
  });
  expect(await created.json()).toMatchObject({
    result: { data: { createdBy: { uniqueId: ann.uniqueId, name: 'Ann', kind: 'human' } } },
  });
  expect((await acme.events()).at(-1)).toMatchObject({
    action: 'vendor.create',
    user_id: ann.uniqueId,
    api_key_id: null,
  });
});

test('a role that lacks the scope gets an error in words for people', async () => {
  const { caller } = await createMember(acme, { role: 'auditor' });
  await expect(caller.vendor.create({ name: 'x' })).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: 'role: your role, auditor, cannot create or change vendors',
  });
});
