import { afterAll, expect, test } from 'vitest';
import { createMember, services } from '../support/tenants/member.ts';
import { createCompany } from '../support/tenants/company.ts';
import { startApp } from '../support/http/app.ts';
import { Browser } from '../support/http/browser.ts';

const acme = await createCompany();
const app = await startApp({ services });
afterAll(() => app.stop());

test('a member calls the business and management procedures with the session cookie', async () => {
  const ann = await createMember(acme, { role: 'admin' });
  const browser = new Browser(app.url, { cookie: `session-3000=${ann.token}` });
  expect((await browser.query('management.framework.list')).status).toBe(200);
  const created = await browser.send('POST', '/trpc/vendor.create', { name: 'Cloud' });
  expect(created.body).toMatchObject({
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
