import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, openWindow } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { mailedToken, withMail } from '../../support/tenants/queued-mails.ts';
import { PASSWORD, newEmail, passwordHash, readPerson } from '../../support/tenants/sign-in.ts';

/** A member with a password, and the paths of links to a new email for which she or an admin asked. */
async function createAnn() {
  const company = await createCompany();
  const admin = await createMember(company);
  const ann = await createMember(company, { role: 'editor', password: passwordHash });
  const ownLink = async (email: string) => {
    await withMail(ann).account.changeEmail({ email, password: PASSWORD });
    return `/email/${await mailedToken(email)}`;
  };
  const linkOfAdmin = async (email: string) => {
    await withMail(admin).management.member.update({ uniqueId: ann.uniqueId, email });
    return `/email/${await mailedToken(email)}`;
  };
  return { ann, ownLink, linkOfAdmin };
}

describeInBrowser('the page of a link to a new address', () => {
  test('changes the address when the person says so, not when it is opened', async () => {
    const { ann, ownLink } = await createAnn();
    const email = newEmail();
    const page = await openWindow(await ownLink(email));
    await page.getByRole('button', { name: 'Use this address' }).waitFor();
    await expectGoodViews(page);
    expect(await readPerson(ann.person)).toMatchObject({ email: ann.email });
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByRole('heading', { name: 'Your address was changed' }).waitFor();
    expect(await readPerson(ann.person)).toMatchObject({ email });
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`You sign in as ${email}`).waitFor();
  });

  test('asks for the password of the account if an admin chose the address, and nobody is signed in', async () => {
    const { ann, linkOfAdmin } = await createAnn();
    const email = newEmail();
    const page = await openWindow(await linkOfAdmin(email));
    expectConsole(/422/);
    const use = page.getByRole('button', { name: 'Use this address' });
    await use.click();
    await page.getByText('an admin asked for this change').waitFor();
    const signIn = page.getByRole('link', { name: 'Sign in another way' });
    expect(await signIn.getAttribute('href')).toBe(`/sign-in?to=${encodeURIComponent(new URL(page.url()).pathname)}`);
    await expectGoodViews(page);
    await page.getByLabel('Password').fill('a wrong password');
    await use.click();
    await page.getByText('Not the password of your account.').waitFor();
    expect(await readPerson(ann.person)).toMatchObject({ email: ann.email });
    await page.getByLabel('Password').fill(PASSWORD);
    await use.click();
    await page.getByRole('heading', { name: 'Your address was changed' }).waitFor();
    expect(await readPerson(ann.person)).toMatchObject({ email });
  });

  test('asks a person who is signed in for nothing, and the account shows the new address', async () => {
    const { ann, linkOfAdmin } = await createAnn();
    const email = newEmail();
    const page = await openAs(ann, await linkOfAdmin(email));
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByText(`You sign in as ${email}`).waitFor();
    expect(await readPerson(ann.person)).toMatchObject({ email });
  });

  test('says that another account has the address meanwhile', async () => {
    const { ann, ownLink } = await createAnn();
    const email = newEmail();
    const page = await openWindow(await ownLink(email));
    expectConsole(/409/);
    await createMember(await createCompany(), { email });
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByRole('alert').getByText('another account has this address').waitFor();
    await expectAccessible(page);
    expect(await readPerson(ann.person)).toMatchObject({ email: ann.email });
  });

  test('says that the link does not work, and what to do next', async () => {
    const page = await openWindow('/email/unknown');
    expectConsole(/404/);
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await page.getByRole('alert').getByText('Change your email again under Account').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
