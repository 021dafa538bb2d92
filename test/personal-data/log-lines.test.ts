import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { database } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser } from '../support/http/browser.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { PASSWORD, createResetLink, invite, newEmail, passwordHash } from '../support/tenants/sign-in.ts';

const NAME = 'Xanthippe Quagmire';
const USER_AGENT = 'Zebrowser/7';

test('no log line and no metric has a name, an email, a user agent or a password of a person', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace', base: null }, { write: (line) => void lines.push(line) });
  const app = await startApp({ services, trustProxy: 1, log });
  onTestFinished(() => app.stop());
  const browser = new Browser(app.url, { 'X-Forwarded-For': '203.0.113.77', 'User-Agent': USER_AGENT });
  const acme = await createCompany();
  const [email, invited, unknown] = [newEmail(), newEmail(), newEmail()];
  const member = await createMember(acme, { email, name: NAME, password: passwordHash });

  const statuses = [
    await browser.send('POST', '/session', { email, password: `${PASSWORD} not` }),
    await browser.send('POST', '/session', { email: unknown, password: PASSWORD }),
    await browser.send('POST', '/session', { email: '', password: PASSWORD }),
    await browser.send('GET', `/session/sso?email=${encodeURIComponent(unknown)}`),
    await browser.send('POST', '/session/invitation/look', { token: await invite(acme, invited) }),
    await browser.send('POST', '/session/invitation', {
      token: await invite(acme, unknown),
      name: NAME,
      password: PASSWORD,
    }),
    await browser.send('POST', '/session', { email, password: PASSWORD }),
    await browser.send('GET', '/session'),
    await browser.send('POST', '/session/reset', {
      token: await createResetLink(member.person),
      password: `${PASSWORD} new`,
    }),
  ].map(({ status }) => status);
  await member.caller.account.update({ name: `${NAME} Junior` });
  await expect(member.caller.management.member.invite({ email, role: 'editor' })).rejects.toThrow('member');
  expect(statuses).toEqual([401, 401, 400, 422, 200, 204, 204, 200, 204]);

  await expect.poll(() => lines.length).toBeGreaterThanOrEqual(statuses.length);
  const all = [...lines, JSON.stringify(await startMetrics(database).collect())].join('\n');
  for (const text of [NAME, email, invited, unknown, USER_AGENT, PASSWORD, encodeURIComponent(unknown)])
    expect({ text, found: all.includes(text) }).toEqual({ text, found: false });
  // docs/privacy.md says that sign-ins and resets have the address.
  const withAddress = lines.filter((line) => line.includes('203.0.113.77'));
  const messages = new Set(withAddress.map((line) => String(Reflect.get(Object(JSON.parse(line)), 'msg'))));
  expect([...messages].toSorted()).toEqual(['password: reset', 'sign-in: failed', 'sign-in: succeeded']);
});
