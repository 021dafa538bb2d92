import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { totpCode, totpStep } from '../../procedures/sign-in/totp.ts';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, openAsMember, setUpMail } from '../support/app/application.ts';
import { sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { PASSWORD, newEmail, passwordHash, readPerson } from '../support/tenants/sign-in.ts';

const decodeBase32 = (text: string): Buffer => {
  const bits = Array.from(text, (character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  ).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

describeInBrowser('a person', () => {
  test('changes the own name', async () => {
    const { ann, page } = await openAsMember('/account');
    await page.getByLabel('Name').fill('Ann Lee');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.locator('.sidebar').getByText('Ann Lee').waitFor();
    expect(await ann.caller.account.get()).toMatchObject({ name: 'Ann Lee' });
  });

  test('changes the password, which needs the current one', async () => {
    const { page } = await openAsMember('/account', { password: passwordHash });
    expectConsole(/422/);
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill('a new long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('expected your current password').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('a new long password');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  });

  test('asks for a link to a new email, which needs the password', async () => {
    await setUpMail();
    const { ann, page } = await openAsMember('/account', { password: passwordHash });
    const email = newEmail();
    expectConsole(/422/);
    const section = page.getByRole('region', { name: 'Email' });
    await section.getByText(`You sign in as ${ann.email}`).waitFor();
    await section.getByLabel('New email').fill(email);
    await section.getByLabel('Password').fill('a wrong password');
    await section.getByRole('button', { name: 'Change email' }).click();
    await section.getByText('expected your current password').waitFor();
    await section.getByLabel('Password').fill(PASSWORD);
    await section.getByRole('button', { name: 'Change email' }).click();
    await section.getByText(`We sent an email with a link to ${email}.`).waitFor();
    expect(await section.getByLabel('New email').inputValue()).toBe('');
    await expectGoodViews(page);
    expect(await readPerson(ann.person)).toMatchObject({ email: ann.email });
  });

  test('reads that the email cannot be changed without mail, and who can change it', async () => {
    const { ann, page } = await openAsMember('/account', { password: passwordHash });
    expectConsole(/422/);
    const section = page.getByRole('region', { name: 'Email' });
    await section.getByLabel('New email').fill(newEmail());
    await section.getByLabel('Password').fill(PASSWORD);
    await section.getByRole('button', { name: 'Change email' }).click();
    await section.getByText('This server does not send email, so only an admin or the operator can change').waitFor();
    expect(await section.getByText('A mail with a link').count()).toBe(0);
    expect(await readPerson(ann.person)).toMatchObject({ email: ann.email });
  });

  test('turns the second factor on, keeps the recovery codes and turns it off', async () => {
    const { ann, page } = await openAsMember('/account', { password: passwordHash });
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('img', { name: 'QR code of the authenticator key' }).waitFor();
    const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
    await expectAccessible(page);
    await page.getByLabel('Code', { exact: true }).fill(totpCode(decodeBase32(secret), totpStep(Date.now())));
    await page.getByRole('button', { name: 'Confirm' }).click();
    const dialog = page.getByRole('dialog', { name: 'Recovery codes' });
    await dialog.waitFor();
    const codes = await dialog.getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await ann.caller.account.get()).toMatchObject({ totp: true });

    await page.getByRole('button', { name: 'Turn off' }).click();
    const confirmation = page.getByRole('dialog');
    await confirmation.getByLabel('Password').fill(PASSWORD);
    await confirmation.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    expect(await ann.caller.account.get()).toMatchObject({ totp: false });
  });

  test('sees the own sessions in plain words and ends one', async () => {
    const email = 'sessions@example.com';
    const ann = await createMember(await createCompany(), { email });
    const other = await createMember(await createCompany(), { email });
    await sql(
      `update web_session set user_agent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36', address = '192.0.2.7'
       where unique_id = $1`,
      other.webSession.uniqueId,
    );
    const page = await openAs(ann, '/account');
    const row = page.getByRole('row', { name: 'Chrome on Linux' });
    await row.getByText('192.0.2.7').waitFor();
    await page.getByRole('row', { name: 'This session' }).waitFor();
    await row.getByRole('button', { name: 'End' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await ann.caller.account.sessions()).toHaveLength(1);
  });

  test('downloads everything that is stored about them', async () => {
    const { ann, page } = await openAsMember('/account', { name: 'Ann Lee' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download my data' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('my-data.json');
    const text = await readFile(await download.path(), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(await ann.caller.account.data())));
    expect(text).toContain('Ann Lee');
    expect(text).not.toContain(ann.token);
  });

  test('who signed in with single sign-on reads how to change the password', async () => {
    const ann = await createMember(await createCompany(), { password: passwordHash });
    await sql('update web_session set single_sign_on = true where person_id = $1', ann.person);
    const page = await openAs(ann, '/account');
    expectConsole(/403/);
    await page.getByRole('button', { name: 'Turn on' }).click();
    const message = page.getByRole('alert');
    await message.getByText('sign in with your password to change how you sign in').waitFor();
    expect(await message.getByText('Ask an admin').count()).toBe(0);
  });

  test('finds the account accessible in every view', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    await expectGoodViews(page);
  });
});
