import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
  openWindow,
} from '../support/app/application.ts';
import { sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { PASSWORD, newEmail, passwordHash, setUpTotp } from '../support/tenants/sign-in.ts';

const signInWith = async (page: Page, email: string, password: string) => {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

describeInBrowser('a person', () => {
  test('signs in with email and password and arrives at the page of the link', async () => {
    const email = newEmail();
    await createMember(await createCompany(), { email, password: passwordHash });
    const page = await openWindow('/vendors?q=cloud');
    await signInWith(page, email, PASSWORD);
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=cloud');
    await page.reload();
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
  });

  test('without a session causes no request for one', async () => {
    const page = await openWindow('/nothing');
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.goto(`${applicationOrigin()}/tasks`);
    await page.getByLabel('Password').waitFor();
    expect(paths).not.toContain('/session');
    expect(new URL(page.url()).searchParams.get('to')).toBe('/tasks');
  });

  test('gives the code of the second factor', async () => {
    const ann = await createMember(await createCompany(), { password: passwordHash });
    const codeOf = await setUpTotp(ann.person);
    const page = await openWindow('/');
    expectConsole(/401/);
    await signInWith(page, ann.email, PASSWORD);
    await page.getByLabel('Code').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe(PASSWORD);
    await page.getByLabel('Code').fill(codeOf());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  test('reads that the password is wrong, and keeps the email', async () => {
    const ann = await createMember(await createCompany(), { password: passwordHash });
    const page = await openWindow('/');
    expectConsole(/401/);
    await signInWith(page, ann.email, 'a wrong password');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(ann.email);
    await expectAccessible(page);
  });

  test('who is not a member any more deletes the account, with the code of the second factor', async () => {
    const company = await createCompany();
    await createMember(company);
    const ann = await createMember(company, { role: 'editor', password: passwordHash });
    const codeOf = await setUpTotp(ann.person);
    const page = await openWindow('/sign-in');
    expectConsole(/401|409/);
    await page.getByRole('link', { name: 'Delete my account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Delete my account' }).waitFor();
    await expectGoodViews(page);
    const send = () => page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByLabel('Email').fill(ann.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await send();
    await page.getByLabel('Code').fill(codeOf());
    await send();
    const alert = page.getByRole('alert');
    await alert.getByText('An admin of each of your companies must end the membership first.').waitFor();
    await company.manage.member.end({ uniqueId: ann.uniqueId });
    await page.getByLabel('Code').fill(codeOf(1));
    await send();
    await page.getByRole('heading', { level: 1, name: 'Account deleted' }).waitFor();
    await expectAccessible(page);
    expect(await sql('select from person where unique_id = $1', ann.person)).toEqual([]);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await signInWith(page, ann.email, PASSWORD);
    await page.getByRole('alert').getByText('The email or the password is wrong').waitFor();
  });

  test('signs in with a passkey', async () => {
    const { ann, page } = await openAsMember('/account', {}, { isAlone: true });
    const authenticator = await page.context().newCDPSession(page);
    await authenticator.send('WebAuthn.enable');
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('table', { name: 'Passkeys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await ann.caller.account.get()).toMatchObject({ passkeys: [{ lastUsedAt: expect.any(String) }] });
  });

  test('whose session ended signs in over the page, and what was typed is saved', async () => {
    const { ann, page } = await openAsMember('/vendors', { password: passwordHash });
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    await page.getByLabel('Name').fill('Cloud Ltd');
    await sql('delete from web_session where person_id = $1', ann.person);
    expectConsole(/401/);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    expect(await ann.caller.vendor.list()).toMatchObject([{ name: 'Cloud Ltd' }]);
  });

  test('switches to another company', async () => {
    const ann = await createMember(await createCompany());
    const other = await createCompany('Beta Ltd');
    await createMember(other, { email: ann.email });
    const page = await openAs(ann, '/vendors');
    await page.getByLabel('Company').selectOption('Beta Ltd');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await expect.poll(() => page.getByLabel('Company').inputValue()).toBe(String(other.id));
  });

  test('sees one control for each name, accessible in every view', async () => {
    const page = await openWindow('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(1);
    await expectGoodViews(page);
  });
});

/** Replaces the facts of the service, which in these tests has many companies. */
const useFacts = (page: Page, facts: { company: string | null; mail: boolean }) =>
  page.route('**/session/service', (route) => route.fulfill({ json: facts }));

describeInBrowser('the sign-in page', () => {
  test('names the product, and the company where there is only one', async () => {
    const page = await openWindow('/sign-in');
    const product = page.getByText(/^Compliance/);
    await product.waitFor();
    expect(await product.innerText()).toBe('Compliance');
    await useFacts(page, { company: 'Acme Robotics and Sons of the Northern Islands', mail: true });
    await page.reload();
    await expect.poll(() => product.innerText()).toBe('Compliance · Acme Robotics and Sons of the Northern Islands');
    await expectGoodViews(page);
  });

  test('works while the service does not say what it is', async () => {
    const { email } = await createMember(await createCompany(), { password: passwordHash });
    const page = await openWindow('/forgot');
    expectConsole(/503/);
    await page.route('**/session/service', (route) => route.fulfill({ status: 503, json: { error: 'Busy.' } }));
    await page.goto(`${applicationOrigin()}/sign-in`);
    await signInWith(page, email, PASSWORD);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});

describeInBrowser('a person who forgot the password', () => {
  test('asks for a link, and reads the same whether the email has an account', async () => {
    const page = await openWindow('/sign-in');
    await useFacts(page, { company: null, mail: true });
    await page.reload();
    const asked: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/session/forgot')) asked.push(request.postDataJSON());
    });
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Forgot your password?' }).waitFor();
    await page.getByLabel('Email').waitFor();
    await expectGoodViews(page);
    await page.getByLabel('Email').fill('ann@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('status').getByText('If ann@example.com has an account, an email').waitFor();
    await expectGoodViews(page);
    expect(asked).toEqual([{ email: 'ann@example.com' }]);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('reads what is wrong with the address, and keeps it', async () => {
    const page = await openWindow('/forgot');
    expectConsole(/400/);
    await useFacts(page, { company: null, mail: true });
    await page.reload();
    await page.getByLabel('Email').fill('ann@localhost');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('Expected an email address.').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('ann@localhost');
    await expectAccessible(page);
  });

  test('reads whom to ask where the service sends no mails', async () => {
    const page = await openWindow('/sign-in');
    await useFacts(page, { company: null, mail: false });
    await page.goto(`${applicationOrigin()}/forgot`);
    await page.getByText('Ask an admin of your company for a link').waitFor();
    await page.getByText('ask the operator of this service').waitFor();
    expect(await page.getByLabel('Email').count()).toBe(0);
    await expectGoodViews(page);
  });

  test('asks in another window if the session ended over a page, so that what was typed stays', async () => {
    const { ann, page } = await openAsMember('/vendors', { password: passwordHash });
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    await sql('delete from web_session where person_id = $1', ann.person);
    expectConsole(/401/);
    await page.getByRole('button', { name: 'Save' }).click();
    const link = page.getByRole('dialog', { name: 'Sign in again' }).getByRole('link', { name: 'Forgot' });
    const [other] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await other.getByRole('heading', { level: 1, name: 'Forgot your password?' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/vendors');
  });

  test('finds the way to a new link from one that does not work', async () => {
    const page = await openWindow('/reset/unknown');
    await useFacts(page, { company: null, mail: true });
    await page.reload();
    expectConsole(/404/);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('link', { name: 'Ask for a new one' }).click();
    await page.getByRole('heading', { level: 1, name: 'Forgot your password?' }).waitFor();
    await page.getByRole('button', { name: 'Send link' }).waitFor();
  });
});
