import { afterAll, describe, expect, test } from 'vitest';
import { MAX_SIGN_IN_FAILURES } from '../../../server/session/sign-in-limits.ts';
import { sql } from '../../support/database/database.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser, statusAndCode } from '../../support/http/browser.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, mailServices, services } from '../../support/tenants/member.ts';
import { mailedToken, mailsTo } from '../../support/tenants/queued-mails.ts';
import { PASSWORD, newEmail, passwordHash } from '../../support/tenants/sign-in.ts';

const acme = await createCompany();
const app = await startApp({ services: mailServices, trustProxy: 1 });
const withoutMail = await startApp({ services, trustProxy: 1 });
afterAll(() => Promise.all([app.stop(), withoutMail.stop()]));
let addresses = 0;
const newBrowser = (url = app.url) => new Browser(url, { 'X-Forwarded-For': `198.51.100.${(addresses += 1)}` });
const forgot = (email: unknown, browser = newBrowser()) => browser.send('POST', '/session/forgot', { email });

describe('POST /session/forgot', () => {
  test('mails a link with which the person sets a new password, and leaves no event', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const response = await forgot(ann.email.toUpperCase());
    expect(response).toMatchObject({ status: 204, text: '' });
    await expect.poll(async () => (await mailsTo(ann.email)).length).toBe(1);
    expect((await acme.events(ann.uniqueId)).map(({ action }) => action)).toEqual(['member.create']);
    const body = { token: await mailedToken(ann.email), password: `${PASSWORD}!` };
    expect((await newBrowser().send('POST', '/session/reset', body)).status).toBe(204);
    expect(await newBrowser().signIn(ann.email, `${PASSWORD}!`)).toEqual([204]);
    // The link was mailed, so the address is proven.
    expect(await sql('select proven_at is not null as proven from person where unique_id = $1', ann.person)).toEqual([
      { proven: true },
    ]);
  });

  test('answers alike for an address without an account, and for a server without mail', async () => {
    const ann = await createMember(acme, { password: passwordHash });
    const stranger = newEmail();
    const answers = [
      await forgot(ann.email),
      await forgot(stranger),
      await forgot(ann.email, newBrowser(withoutMail.url)),
      await forgot(stranger, newBrowser(withoutMail.url)),
    ].map(({ status, text, headers }) => [status, text, Object.keys(headers).toSorted()]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.[0]).toBe(204);
    await expect.poll(async () => (await mailsTo(ann.email)).length).toBe(1);
    expect(await sql('select 1 from queued_mail where email = $1', stranger)).toEqual([]);
  });

  test('counts each request of an address as a failed sign-in', async () => {
    const browser = newBrowser();
    for (let count = 0; count < MAX_SIGN_IN_FAILURES.address; count++)
      expect((await forgot(newEmail(), browser)).status).toBe(204);
    const limited = await forgot(newEmail(), browser);
    expect(statusAndCode(limited)).toEqual([429, 'rate_limited']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    const ann = await createMember(acme, { password: passwordHash });
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([429, 'rate_limited']);
    expect(await newBrowser().signIn(ann.email, PASSWORD)).toEqual([204]);
  });

  test('takes an email address only', async () => {
    for (const email of [undefined, 1, 'ann', '']) {
      const response = await forgot(email);
      expect([response.status, response.body]).toEqual([400, { error: expect.stringMatching(/^email: /) }]);
    }
  });
});
