import { expect, onTestFinished, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openWindow,
} from '../../support/app/application.ts';
import { startIdentityProvider } from '../../support/servers/identity-provider.ts';
import { CLIENT } from '../../support/sign-in/browser.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { PASSWORD, passwordHash, setUpTotp } from '../../support/tenants/sign-in.ts';
import { membersOf, newDomain } from '../../support/sign-in/sso-company.ts';

describeInBrowser('single sign-on', () => {
  /** A company with single sign-on, and its member Ann, who has a password. */
  async function createLinkable() {
    const idp = await startIdentityProvider({ redirectUri: `${applicationOrigin()}/session/sso/callback` });
    onTestFinished(() => idp.close());
    const company = await createCompany();
    const admin = await createMember(company, { name: 'Bo Berg' });
    const domain = newDomain();
    const role = 'editor' as const;
    const settings = { issuer: idp.issuer, ...CLIENT, domains: [domain], required: false, role };
    await admin.caller.management.sso.set(settings);
    await company.manage.sso.confirm({ domain });
    const email = `ann@${domain}`;
    const ann = await createMember(company, { email, name: 'Ann Lee', role, password: passwordHash, isProven: true });
    idp.account = { sub: 'ann', email, email_verified: true, name: 'Ann Lee' };
    expectConsole(new RegExp(`request to ${idp.issuer}`));
    return { company, admin, ann, idp };
  }

  test('asks once for the password of an account, and an admin removes the link', async () => {
    const { admin, ann } = await createLinkable();
    const totpCode = await setUpTotp(ann.person);
    const page = await openWindow('/sign-in?to=/vendors');
    expectConsole(/request to http:\/\/127\.0\.0\.1|401|422/);
    const useSingleSignOn = async () => {
      await page.getByLabel('Email').fill(ann.email);
      await page.getByRole('button', { name: 'Use single sign-on' }).click();
    };
    await useSingleSignOn();
    await page.getByRole('heading', { name: 'Link single sign-on' }).waitFor();
    await expectGoodViews(page);
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByText('not the password of your account').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByLabel('Code').fill(totpCode());
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await useSingleSignOn();
    await page.getByRole('navigation').first().waitFor();

    const members = await openAs(admin, '/members');
    const row = members.getByRole('row', { name: 'Ann Lee' });
    await row.getByText('Linked').waitFor();
    await members.getByRole('button', { name: 'Actions for Ann Lee' }).click();
    await members.getByRole('menuitem', { name: 'Remove link' }).click();
    await members.getByRole('dialog').getByRole('button', { name: 'Remove link' }).click();
    await row.getByText('Linked').waitFor({ state: 'detached' });
    await members.getByRole('button', { name: 'Actions for Ann Lee' }).click();
    await members.getByRole('menuitem', { name: 'Edit' }).waitFor();
    expect(await members.getByRole('menuitem', { name: 'Remove link' }).count()).toBe(0);
  });

  test('signs in from an address that the person typed, at a provider of another site', async () => {
    const { company, ann, idp } = await createLinkable();
    const email = ann.email.replace('ann@', 'gus@');
    idp.account = { sub: 'gus', email, email_verified: true, name: 'Gus' };
    const page = await openWindow('/proof/check');
    await page.goto(
      `${applicationOrigin()}/session/sso?${new URLSearchParams({ email, return: '/vendors' }).toString()}`,
    );
    await page.getByRole('heading', { level: 1, name: 'Vendors' }).waitFor();
    const cookies = await page.context().cookies(`${applicationOrigin()}/session`);
    expect(cookies.map(({ name }) => name)).toEqual([`session-${new URL(applicationOrigin()).port}`]);
    expect(await membersOf(company.id, email)).toHaveLength(1);
  });

  test('says what it means to trust the emails of a provider', async () => {
    const { admin, company } = await createLinkable();
    const page = await openAs(admin, '/members?tab=single-sign-on');
    const trust = page.getByRole('checkbox', { name: 'Trust emails of the provider' });
    expect(await trust.isChecked()).toBe(false);
    await page
      .getByText('Anyone who can choose an email at the provider can sign in as the owner of that email')
      .waitFor();
    await trust.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await company.manage.sso.get()).toMatchObject({ trustEmail: true });
  });
});
