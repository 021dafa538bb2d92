import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { sql } from '../../support/database/database.ts';
import { PASSWORD, newEmail, passwordHash } from '../../support/tenants/sign-in.ts';

const DESCRIPTION = '<p>Hosts our <b>production</b> systems.</p><ul><li>Frankfurt</li><li>Dublin</li></ul>';

/** A member who opened the page of a new vendor. */
async function openVendor(view: Parameters<typeof openAs>[2] = {}) {
  const company = await createCompany();
  const ann = await createMember(company, { email: newEmail(), password: passwordHash });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd', description: DESCRIPTION });
  const page = await openAs(ann, `/vendors/${vendor}`, view);
  return { company, ann, vendor, page, stored: () => ann.caller.vendor.get({ vendor }) };
}

describeInBrowser('the page of a vendor', () => {
  test('saves fields when they are left, and shows the changes in the history', async () => {
    const { company, page, stored } = await openVendor();
    await page.getByLabel('Name').fill('Cloud Inc');
    await choose(page, 'Status', 'Archived');
    await page.getByRole('textbox', { name: 'Description' }).press('Control+End');
    await page.keyboard.type(' and Paris');
    await page.getByLabel('Name').focus();
    await page.getByText(/changed the.* description/).waitFor();
    expect(await stored()).toMatchObject({
      name: 'Cloud Inc',
      status: 'archived',
      description: DESCRIPTION.replace('Dublin', 'Dublin and Paris'),
      version: 4,
    });
    await inOneMinute(company);
    await page.reload();
    const line = page.getByRole('button', { name: 'Ann changed the name, status, and description 3 times' });
    await line.click();
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await page.getByText('changed the name from Cloud Ltd to Cloud Inc').waitFor();
    await page.getByText('changed the status from Active to Archived').waitFor();
    const description = page.getByRole('listitem').filter({ hasText: /^Ann changed the description/ });
    await description.getByText('and Paris').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Ann created this vendor' }).innerText()).toMatch(
      /\d+:\d\d:\d\d [AP]M$/,
    );
    await line.click();
    await description.waitFor({ state: 'detached' });
  });

  test('shows both versions of a description that two people edit at once, and loses neither', async () => {
    const { company, vendor, page, stored } = await openVendor();
    const ben = await createMember(company, { name: 'Ben' });
    await page.getByRole('textbox', { name: 'Description' }).press('Control+End');
    await page.keyboard.type(' and Paris');
    await ben.caller.vendor.update({
      vendor,
      description: DESCRIPTION.replace('Frankfurt', 'Berlin'),
      status: 'inactive',
    });
    expectConsole(/412/);
    await page.getByLabel('Name').focus();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByRole('insertion').filter({ hasText: 'Berlin' }).waitFor();
    await dialog.getByRole('deletion').filter({ hasText: 'Frankfurt' }).waitFor();
    await dialog.getByRole('insertion').filter({ hasText: 'and Paris' }).waitFor();
    await dialog.getByText('Inactive').waitFor();
    expect(await dialog.locator('b').allTextContents()).toEqual(['production', 'production']);
    expect(await dialog.getByRole('listitem').count()).toBe(4);
    expect(await dialog.innerText()).not.toContain('<');
    await expectAccessible(page);
    expect((await stored()).description).toContain('Berlin');
    await dialog.getByRole('radio', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(stored).toMatchObject({
      description: DESCRIPTION.replace('Dublin', 'Dublin and Paris'),
      status: 'inactive',
      version: 3,
    });
    await page.getByText(/changed the (description and status|status and description)/).waitFor();
  });

  test('says which formats differ, in the history and in a conflict', async () => {
    const { company, ann, vendor, page } = await openVendor();
    const ben = await createMember(company, { name: 'Ben' });
    await ann.caller.vendor.update({ vendor, description: DESCRIPTION.replace('systems', '<em>systems</em>') });
    await page.reload();
    const event = page.getByRole('listitem').filter({ hasText: 'changed the description' });
    await event.getByText('(italic added)').waitFor();
    expect(await event.innerText()).not.toContain('<');
    await page.getByRole('textbox', { name: 'Description' }).press('Control+End');
    await page.keyboard.type(' and Paris');
    const table = '<table><tbody><tr><th>System</th></tr><tr><td>Mail</td></tr></tbody></table>';
    await ben.caller.vendor.update({
      vendor,
      description: DESCRIPTION.replace('<p>', '<h2>').replace('</p>', '</h2>') + table,
    });
    expectConsole(/412/);
    await page.getByLabel('Name').focus();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog
      .getByText(/heading 2 added/)
      .first()
      .waitFor();
    await dialog.getByRole('heading', { level: 2, name: 'Hosts our' }).waitFor();
    await dialog.getByRole('cell').getByRole('insertion').filter({ hasText: 'Mail' }).waitFor();
    await dialog.getByRole('radio', { name: 'Use theirs' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('textbox', { name: 'Description' }).getByText('Mail').waitFor();
  });

  test('keeps typed text if the session ends, and saves it after the sign-in', async () => {
    const { ann, page, stored } = await openVendor();
    await page.getByLabel('Name').fill('Cloud Inc');
    await sql('delete from web_session where unique_id = $1', ann.webSession.uniqueId);
    expectConsole(/401/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(ann.email);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(async () => (await stored()).name).toBe('Cloud Inc');
    expect(await page.getByLabel('Name').inputValue()).toBe('Cloud Inc');
  });

  test('is accessible in every view', async () => {
    const { page } = await openVendor();
    await page.getByRole('textbox', { name: 'Description' }).waitFor();
    await page.getByText('created this vendor').waitFor();
    await expectGoodViews(page);
  });
});
