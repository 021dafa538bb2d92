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
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { PASSWORD, createResetLink, invite, newEmail, passwordHash, setUpTotp } from '../support/tenants/sign-in.ts';

describeInBrowser('an admin', () => {
  test('invites a person, whose link leads into the company', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const email = newEmail();
    const page = await openAs(ann, '/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill(email);
    await dialog.getByLabel('Role').selectOption('Auditor');
    await dialog.getByLabel('Frameworks').click();
    await page.getByRole('option', { name: 'ISO 27001' }).click();
    await page.keyboard.press('Tab');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const shown = page.getByRole('dialog', { name: 'Invitation created' });
    const link = (await shown.locator('code').textContent()) ?? '';
    await shown.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('table', { name: 'Open invitations' })
      .getByRole('cell', { name: `${email} Not sent by email`, exact: true })
      .waitFor();

    const { pathname, origin } = new URL(link);
    expect(origin).toBe(applicationOrigin());
    const window = await openWindow(pathname);
    await window.getByText(`Acme invites ${email} as an auditor.`).waitFor();
    await expectGoodViews(window);
    await window.getByLabel('Name').fill('Bo Berg');
    await window.getByLabel('Password').fill(PASSWORD);
    await window.getByRole('button', { name: 'Accept' }).click();
    await window.getByRole('navigation').getByRole('link', { name: 'Overview' }).waitFor();
    expect(await ann.caller.management.member.list()).toContainEqual(
      expect.objectContaining({ name: 'Bo Berg', email, role: 'auditor', frameworks: [expect.any(Number)] }),
    );
    expect(await ann.caller.management.invitation.list()).toEqual([]);
  });

  test('invites several people with one role, and reads of each address what came of it', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    const [bo, cem] = [newEmail(), newEmail()];
    const page = await openAs(ann, '/members');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('Enter at least one address.').waitFor();
    await dialog.getByLabel('Email addresses').fill(`Bo Berg <${bo}>, ${ann.email}\nno-address ${cem}; ${cem}`);
    await dialog.getByLabel('Role').selectOption('Auditor');
    expectConsole(/400|409|207/);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog', { name: '2 of 4 invited' }).waitFor();
    const lines = dialog.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^${bo}[^]*/invitation/[^]*It works until`)),
      expect.stringMatching(new RegExp(`^${ann.email}[^]*Not invited. Is already a member.`)),
      expect.stringMatching(/^no-address[^]*Not invited. Expected an email/),
      expect.stringMatching(new RegExp(`^${cem}[^]*/invitation/`)),
    ]);
    await expectGoodViews(page);
    await dialog.getByRole('button', { name: 'Correct the others' }).click();
    expect(await dialog.getByLabel('Email addresses').inputValue()).toBe(`${ann.email}\nno-address`);
    expect(await dialog.getByLabel('Role').inputValue()).toBe('auditor');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await ann.caller.management.invitation.list()).toMatchObject([{ role: 'auditor' }, { role: 'auditor' }]);
  });

  test('makes a new link for an invitation whose link was lost', async () => {
    const ann = await createMember(await createCompany());
    const email = newEmail();
    const { uniqueId } = await ann.caller.management.member.invite({ email, role: 'editor' });
    const page = await openAs(ann, '/members');
    await page.getByText(/^Email is not set up. Copy the link/).waitFor();
    await page.getByRole('button', { name: `New link for ${email}` }).click();
    const shown = page.getByRole('dialog', { name: 'New link created' });
    expect(await shown.locator('code').textContent()).toContain('/invitation/');
    await shown.getByRole('button', { name: 'Done' }).click();
    const [renewed, ...rest] = await ann.caller.management.invitation.list();
    expect(rest).toEqual([]);
    expect(renewed).toMatchObject({ email, role: 'editor' });
    expect(renewed?.uniqueId).not.toBe(uniqueId);
  });

  test('revokes an invitation', async () => {
    const ann = await createMember(await createCompany());
    await ann.caller.management.member.invite({ email: newEmail(), role: 'editor' });
    const page = await openAs(ann, '/members');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('table', { name: 'Open invitations' }).waitFor({ state: 'detached' });
    expect(await ann.caller.management.invitation.list()).toEqual([]);
  });

  test('changes the role of a member, resets the password and ends the membership', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const bo = await createMember(company, { name: 'Bo Berg', role: 'editor', password: passwordHash });
    const page = await openAs(ann, '/members');
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Bo Berg' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await choose('Edit');
    await page.getByRole('dialog').getByLabel('Role').selectOption('Auditor');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Bo Berg' }).getByRole('cell', { name: 'Auditor' }).waitFor();

    await choose('Reset password');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
    const shown = page.getByRole('dialog', { name: 'Reset link created' });
    expect(await shown.locator('code').textContent()).toMatch(/\/reset\/[\w-]{43}$/);
    await shown.getByRole('button', { name: 'Done' }).click();

    await choose('End membership');
    await page.getByRole('dialog').getByRole('button', { name: 'End membership' }).click();
    await page.getByRole('row', { name: 'Bo Berg' }).getByText('Ended').waitFor();
    expect((await ann.caller.management.member.list()).find(({ uniqueId }) => uniqueId === bo.uniqueId)).toMatchObject({
      role: 'auditor',
      endedAt: expect.any(String),
    });
  });

  test('reads that the last admin cannot be ended', async () => {
    const { page } = await openAsMember('/members', { name: 'Ann Lee' });
    expectConsole(/409/);
    await page.getByRole('button', { name: 'Actions for Ann Lee' }).click();
    await page.getByRole('menuitem', { name: 'End membership' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'End membership' }).click();
    await dialog.getByRole('alert').getByText('last admin').waitFor();
  });

  test('sets up single sign-on and removes it', async () => {
    const { company, ann, page } = await openAsMember('/members?tab=single-sign-on');
    await page.getByText(`${applicationOrigin()}/session/sso/callback`).waitFor();
    expectConsole(/400/);
    await page.getByLabel('Issuer').fill('login.example.com');
    await page.getByLabel('Client id').fill('compliance');
    await page.getByLabel('Client secret').fill('secret');
    await page.getByLabel('Email domains').fill(`${company.id}.example.com`);
    await page.getByLabel('Role').selectOption('Editor');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('expected an https:// address').waitFor();
    await page.getByLabel('Issuer').fill('https://login.example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Waiting for the operator').waitFor();
    await expectAccessible(page);
    expect(await ann.caller.management.sso.get()).toMatchObject({
      issuer: 'https://login.example.com',
      clientId: 'compliance',
      domains: [`${company.id}.example.com`],
      role: 'editor',
    });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Domains' }).waitFor({ state: 'detached' });
    expect(await ann.caller.management.sso.get()).toBe(null);
  });

  test('finds the members accessible in every view', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'editor' });
    await ann.caller.management.member.end({ uniqueId: bo.uniqueId });
    await createMember(company, { name: 'Cem Demir', role: 'auditor' });
    await ann.caller.management.member.invite({ email: newEmail(), role: 'editor' });
    const page = await openAs(ann, '/members');
    await page.getByRole('table', { name: 'Open invitations' }).waitFor();
    await expectGoodViews(page);
  });
});

describeInBrowser('somebody who is not an admin', () => {
  test('reads an email in a narrow window that breaks before its "@", and not inside a word', async () => {
    const company = await createCompany();
    const email = `ann.lee.${company.id}@example.com`;
    const ann = await createMember(company, { email });
    const page = await openAs(ann, '/members', { width: 375 });
    const shown = page.getByRole('table', { name: 'Members' }).locator('.email');
    await shown.waitFor();
    const lines = `(() => {
      const range = document.createRange();
      return [...document.querySelector('.email').childNodes].map((node) => {
        range.selectNodeContents(node);
        return [...range.getClientRects()].map(({ x, width }) => width > 0 && Math.round(x));
      });
    })()`;
    const x = Math.round((await shown.boundingBox())?.x ?? 0);
    expect(await page.evaluate(lines)).toEqual([[x], [], [x]]);
    expect(await shown.innerText()).toBe(email);
  });

  test('sees members, invitations and single sign-on without buttons as an auditor', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    await ann.caller.management.member.invite({ email: newEmail(), role: 'editor' });
    const page = await openAs(await createMember(company, { role: 'auditor', name: 'Bo Berg' }), '/members');
    await page.getByRole('table', { name: 'Open invitations' }).waitFor();
    for (const name of ['Invite', 'Revoke', 'Actions'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByText('Single sign-on is not set up.').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=single-sign-on');
  });

  test('finds as an editor the colleagues to whom work is assigned, and none of the settings', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'auditor', frameworks: [company.framework] });
    await ann.caller.management.member.end({ uniqueId: bo.uniqueId });
    await ann.caller.management.member.invite({ email: newEmail(), role: 'editor' });
    const page = await openAs(await createMember(company, { role: 'editor', name: 'Cem Demir' }), '/');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Members' }).click();
    const table = page.getByRole('table', { name: 'Members' });
    await expect
      .poll(async () =>
        (await table.getByRole('row').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
      )
      .toEqual([
        'Name Role Frameworks',
        `Ann Lee ${ann.email} Admin All`,
        expect.stringMatching(/^Cem Demir \S+ Editor All$/),
        `Bo Berg ${bo.email} Ended Auditor ISO 27001`,
      ]);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Single sign-on' }).count()).toBe(0);
    expect(await page.getByText(/invitation|sign-in|single sign-on/i).count()).toBe(0);
    await expectGoodViews(page);
    await page.getByLabel('Search members').fill('lee');
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'Ann Lee' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ann Lee' }).waitFor();
  });
});

describeInBrowser('a person with a link', () => {
  test('accepts an invitation to a second company with the password of the account', async () => {
    const email = newEmail();
    const { person } = await createMember(await createCompany(), { email, password: passwordHash, isProven: true });
    const totpCode = await setUpTotp(person);
    const token = await invite(await createCompany('Globex'), email, { role: 'editor', mailed: true });
    const page = await openWindow(`/invitation/${token}`);
    expectConsole(/401|422/);
    await page.getByText(`Globex invites ${email} as an editor.`).waitFor();
    await page.getByText('The password of your account with this email').waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('not the password of your account').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByLabel('Code').fill(totpCode());
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByLabel('Company').waitFor();
    expect(await page.getByLabel('Company').locator('option').count()).toBe(2);
  });

  test('accepts a link that was shown, whose form is the same with and without an account', async () => {
    const email = newEmail();
    const { person } = await createMember(await createCompany(), { email, password: passwordHash, isProven: true });
    const totpCode = await setUpTotp(person);
    const page = await openWindow(`/invitation/${await invite(await createCompany('Globex'), email)}`);
    expectConsole(/401|422/);
    await page.getByText(`Globex invites ${email} as an editor.`).waitFor();
    await page.getByText('If you already have an account with this email, enter its password.').waitFor();
    expect(await page.getByLabel('Name').count()).toBe(1);
    await expectGoodViews(page);
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('not the password of your account').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByLabel('Code').fill(totpCode());
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByLabel('Company').waitFor();
  });

  test('reads who confirms an email that nobody has proved, if the link was shown', async () => {
    const email = newEmail();
    await createMember(await createCompany(), { email, password: passwordHash });
    const page = await openWindow(`/invitation/${await invite(await createCompany('Globex'), email)}`);
    expectConsole(/422/);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('alert').getByText('Ask the operator of the service to confirm it.').waitFor();
    expect(await page.getByText(/token/i).count()).toBe(0);
    await expectAccessible(page);
  });

  test('sets a new password and signs in with it', async () => {
    const ann = await createMember(await createCompany(), { password: passwordHash });
    const page = await openWindow(`/reset/${await createResetLink(ann.person)}`);
    await page.getByLabel('Password').fill('a new long password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(ann.email);
    await page.getByLabel('Password').fill('a new long password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('reads before any form that an invitation does not work, and what to do next', async () => {
    const page = await openWindow('/sign-in');
    expectConsole(/404/);
    await page.goto(`${applicationOrigin()}/invitation/unknown`);
    await page.getByRole('heading', { name: 'This invitation does not work' }).waitFor();
    await page.getByRole('alert').getByText('Otherwise, ask the person who invited you for a new link.').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    await expectGoodViews(page);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('reads that an invitation was revoked while the form was open', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const token = await invite(company, newEmail());
    const page = await openWindow(`/invitation/${token}`);
    expectConsole(/404/);
    await page.getByLabel('Name').fill('Bo Berg');
    await page.getByLabel('Password').fill(PASSWORD);
    const [invitation] = await ann.caller.management.invitation.list();
    await ann.caller.management.invitation.revoke({ uniqueId: invitation?.uniqueId ?? '' });
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'This invitation does not work' }).waitFor();
  });

  test('reads that a link for a password does not work, and what to do next', async () => {
    const page = await openWindow('/reset/unknown');
    expectConsole(/404/);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('alert').getByRole('link', { name: 'Ask for a new one' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
