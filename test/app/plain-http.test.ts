import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { createDemoData } from '../../procedures/demo/demo-data.ts';
import { unsubscribeToken } from '../../procedures/mail/unsubscribe.ts';
import { startupMessage } from '../../server/process/startup-message.ts';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { PNG, chooseFiles, confirmAttach, evidenceOf } from '../support/app/evidence.ts';
import { INTRANET_HOST, checkIntranet, launchIntranetChromium, startIntranet } from '../support/app/intranet.ts';
import type { Intranet } from '../support/app/intranet.ts';
import { database, databaseUrl } from '../support/database/database.ts';
import { openMigratedPglite } from '../support/database/migrated-database.ts';
import { listen } from '../support/http/listen.ts';
import { startIdentityProvider } from '../support/servers/identity-provider.ts';
import { createSsoCompany } from '../support/sign-in/sso-company.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { PASSWORD, createResetLink, invite, newEmail, passwordHash } from '../support/tenants/sign-in.ts';

// The application where browsers send no `Sec-Fetch-*`, or a proxy removes them.

const signIn = async (page: Page, email: string) => {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

describe.skipIf(isWithoutChromium || databaseUrl !== undefined)('inside a network', () => {
  let chromium: Browser;
  beforeAll(async () => {
    chromium = await launchIntranetChromium();
  });
  afterAll(() => chromium.close());

  describe.each([
    ['over http', false],
    ['behind a proxy with https that removes Sec-Fetch-*', true],
  ] as const)('%s', (_, isBehindProxy) => {
    let intranet: Intranet;
    beforeAll(async () => {
      intranet = await startIntranet(chromium, { isBehindProxy });
    });
    afterAll(() => intranet.stop());
    afterEach(({ task }) => checkIntranet(intranet, task));

    const cookieName = () => (isBehindProxy ? '__Host-session' : `session-${new URL(intranet.origin).port}`);
    const open = (path: string) => intranet.windows.open(path, {});
    const openAs = ({ token }: Pick<TestMember, 'token'>, path: string) =>
      intranet.windows.open(path, {}, { name: cookieName(), value: token });

    test('a person signs in at a deep link, reloads it, writes, and signs out', async () => {
      const ann = await createMember(await createCompany(), { password: passwordHash });
      const page = await open('/vendors?q=cloud');
      await signIn(page, ann.email);
      await page.getByRole('heading', { name: 'Vendors' }).waitFor();
      expect(page.url()).toBe(`${intranet.origin}/vendors?q=cloud`);
      const [cookie] = await page.context().cookies();
      expect(cookie).toMatchObject({ name: cookieName(), secure: isBehindProxy, httpOnly: true, sameSite: 'Lax' });
      await page.reload();
      await page.getByRole('button', { name: 'New vendor' }).first().click();
      await page.getByLabel('Name').fill('Cloud Ltd');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('table').getByRole('link', { name: 'Cloud Ltd' }).waitFor();
      expect(await ann.caller.vendor.list()).toMatchObject([{ name: 'Cloud Ltd' }]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      expect(await page.context().cookies()).toEqual([]);
      expect(intranet.requests).toContain('DELETE /session 204');
    });

    test('a person accepts an invitation', async () => {
      const company = await createCompany();
      const page = await open(`/invitation/${await invite(company, newEmail())}`);
      await page.getByLabel('Name').fill('Ann Lee');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(intranet.requests).toContain('POST /session/invitation 204');
    });

    test('a person sets a new password with a link, and signs in with it', async () => {
      const ann = await createMember(await createCompany());
      const page = await open(`/reset/${await createResetLink(ann.person)}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, ann.email);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(intranet.requests).toEqual(expect.arrayContaining(['POST /session/reset 204', 'POST /session 204']));
    });

    test('a person turns mails off with a link', async () => {
      const ann = await createMember(await createCompany());
      const secret = await new Session(database, null, 'test').installation.unsubscribeSecret();
      const page = await open(`/unsubscribe/${unsubscribeToken(secret, ann.person, ['assigned'])}`);
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByText('You will not get these emails any more.').waitFor();
      expect(await ann.caller.account.notifications.get()).toMatchObject({ assigned: false });
    });

    test('a person signs in with single sign-on, from the page and from the tile of the provider', async () => {
      const idp = await startIdentityProvider({ redirectUri: `${intranet.origin}/session/sso/callback` });
      onTestFinished(() => idp.close());
      intranet.windows.expect(new RegExp(`request to ${idp.issuer}`));
      intranet.windows.expect(new RegExp(`console .*${idp.issuer}`));
      const { domain } = await createSsoCompany({ issuer: idp.issuer });
      const email = `bob@${domain}`;
      idp.account = { sub: email, email, email_verified: true, name: 'Bob' };
      const page = await open('/tasks');
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Use single sign-on' }).click();
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      const query = new URLSearchParams({ iss: idp.issuer, target_link_uri: `${intranet.origin}/vendors` });
      await page.goto(`${idp.issuer}/.well-known/openid-configuration`);
      await page.evaluate(`location.assign('${intranet.origin}/session/sso?${query.toString()}')`);
      await page.getByRole('heading', { name: 'Vendors' }).waitFor();
      expect(page.url()).toBe(`${intranet.origin}/vendors`);
    });

    test('an error of single sign-on is a page', async () => {
      const page = await open('/sign-in');
      intranet.windows.expect(/status of 422/);
      await page.getByLabel('Email').fill('bob@unknown.example');
      await page.getByRole('button', { name: 'Use single sign-on' }).click();
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      expect(intranet.requests).toContain('GET /session/sso 422');
    });

    test('a person attaches a file, downloads it, and comments', async () => {
      const company = await createCompany();
      const ann = await createMember(company);
      const { uniqueId } = await ann.caller.task.create({ framework: company.framework, title: 'Review' });
      const page = await openAs(ann, `/tasks/${uniqueId}`);
      await chooseFiles(page, [{ name: 'Review.png', mimeType: 'image/png', buffer: PNG }]);
      await confirmAttach(page);
      await evidenceOf(page).getByRole('button', { name: 'Review.png', exact: true }).click();
      await evidenceOf(page).locator('iframe').contentFrame().locator('img').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download Review.png' }).click(),
      ]);
      const content = await Array.fromAsync(await download.createReadStream());
      expect(Buffer.concat(content).equals(PNG)).toBe(true);
      await page.getByRole('textbox', { name: 'Comment' }).fill('Looks good');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByText('Looks good').first().waitFor();
      await expect.poll(async () => (await ann.caller.comment.list({ taskUniqueId: uniqueId })).items).toHaveLength(1);
    });

    test('the button beside a key copies it', async () => {
      const page = await openAs(await createMember(await createCompany()), '/api-keys');
      const openDialog = () => page.getByRole('button', { name: 'New API key' }).first().click();
      await openDialog();
      const name = page.getByRole('dialog', { name: 'New API key' }).getByLabel('Name');
      await name.fill('Ticket sync');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      const created = page.getByRole('dialog', { name: 'API key created' });
      const key = await created.locator('code').first().innerText();
      // It says so for a second, in which a busy machine may not look.
      await page.evaluate(`(() => {
        const isCopied = () => document.body.textContent.includes('Copied');
        window.copied = new Promise((resolve) => {
          const observer = new MutationObserver(() => isCopied() && resolve(true));
          observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        });
      })()`);
      await created.getByRole('button', { name: 'Copy key' }).click();
      expect(await page.evaluate('window.copied')).toBe(true);
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Copy key');
      await created.getByRole('button', { name: 'Done' }).click();
      await openDialog();
      await name.press('ControlOrMeta+v');
      expect(await name.inputValue()).toBe(key);
    });

    test('the reference of the API loads, and its buttons copy', async () => {
      intranet.windows.expect(/console (?:info|warning): .*\/docs\//);
      const page = await open('/docs/reference');
      await page.getByRole('heading', { name: 'Your first request' }).waitFor();
      // What its buttons call, in a page that a person uses.
      await page.evaluate(`navigator.clipboard.writeText('text of ' + location.host)`);
      const field = page.locator('input.scalar-password-input').first();
      await field.press('ControlOrMeta+v');
      expect(await field.inputValue()).toBe(`text of ${new URL(intranet.origin).host}`);
    });

    test('passkeys are offered only where the browser has them', async () => {
      const page = await openAs(await createMember(await createCompany()), '/account');
      const section = page.getByRole('region', { name: 'Passkeys' });
      await section.waitFor();
      expect(await section.getByRole('button', { name: 'Add passkey' }).count()).toBe(isBehindProxy ? 1 : 0);
      const reason = section.getByText('Passkeys work only at addresses that begin with https.');
      expect(await reason.count()).toBe(isBehindProxy ? 0 : 1);
    });
  });

  describe('over http', () => {
    test('the link that the first start prints works', async ({ task }) => {
      const empty = await openMigratedPglite();
      onTestFinished(() => empty.close());
      const intranet = await startIntranet(chromium, { ofDatabase: empty });
      const { origin, windows } = intranet;
      onTestFinished(intranet.stop);
      const demo = await createDemoData(empty, services);
      const settings = { databaseUrl: undefined, dataDir: '/data' };
      const printed = startupMessage(
        { url: 'http://127.0.0.1', appUrl: origin, metricsUrl: undefined, demo },
        settings,
        1,
      );
      const link = /\S+\/invitation\/\S+/.exec(printed)?.[0] ?? '';
      const page = await windows.open('/sign-in', {});
      await page.getByText('Compliance · Demo').waitFor();
      await page.goto(link);
      await page.getByLabel('Name').fill('Ann Lee');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(intranet.requests).toContain('POST /session/invitation 204');
      await checkIntranet(intranet, task);
    });

    test.each(['no-referrer', 'unsafe-url'] as const)(
      'another service of the host reads and writes nothing with the cookie: %s',
      async (referrerPolicy) => {
        const { origin, windows, requests, stop } = await startIntranet(chromium);
        onTestFinished(stop);
        windows.expect(/./);
        const evil = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>Evil</p>'));
        const { port, stop: stopEvil } = await listen(evil);
        onTestFinished(stopEvil);
        const ann = await createMember(await createCompany());
        const cookie = { name: `session-${new URL(origin).port}`, value: ann.token };
        const page = await windows.open('/', {}, cookie);
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        await page.goto(`http://${INTRANET_HOST}:${port}/`);
        requests.length = 0;
        const init = { credentials: 'include', mode: 'no-cors', referrerPolicy };
        await page.evaluate(`Promise.all([
          fetch('${origin}/session', ${JSON.stringify(init)}),
          fetch('${origin}/trpc/vendor.list', ${JSON.stringify(init)}),
          fetch('${origin}/trpc/vendor.create', ${JSON.stringify({ ...init, method: 'POST', body: '{"name":"Evil"}' })}),
          fetch('${origin}/session/delete', ${JSON.stringify({ ...init, method: 'POST', body: '{}' })}),
        ])`);
        expect(requests.toSorted()).toEqual([
          'GET /session 403',
          'GET /trpc/vendor.list 403',
          'POST /session/delete 403',
          'POST /trpc/vendor.create 415',
        ]);
        expect(await ann.caller.vendor.list()).toMatchObject([]);
        await windows.reset(false);
      },
    );
  });
});
