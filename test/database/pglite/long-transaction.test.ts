import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { asOwner } from '../../support/database/database.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser } from '../../support/http/browser.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, services } from '../../support/tenants/member.ts';

const app = await startApp({ services });
afterAll(app.stop);

test('requests of a person wait for a transaction of 2.5 seconds, and succeed', async () => {
  const { token } = await createMember(await createCompany());
  const browser = new Browser(app.url, { cookie: `session-3000=${token}` });
  const requests = await asOwner(async () => {
    const sent = [browser.send('GET', '/trpc/vendor.list'), browser.send('GET', '/session')];
    await wait(2500);
    return sent;
  });
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200]);
});
