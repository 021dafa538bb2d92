import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, openWindow } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { PASSWORD, newEmail, shown } from '../../support/tenants/sign-in.ts';

async function rename(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Account', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.sidebar').getByText(name, { exact: true }).waitFor();
}

/** Lines of the timeline of a task, the oldest first. */
async function timelineOf(page: Page, count: number): Promise<string[]> {
  const lines = page.locator('.timeline > li');
  await expect.poll(() => lines.count(), { timeout: 60_000 }).toBe(count);
  return (await lines.allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' ')).toReversed();
}

/** Opens the dialog in the menu of a member. */
async function openForget(page: Page, name: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Forget', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Forget ${name}?` });
  await dialog.waitFor();
  return dialog;
}

describeInBrowser('a former member', () => {
  test('is forgotten: the history shows the names of the past before, and "Former member" after', async () => {
    const company = await createCompany();
    const ada = await createMember(company, { name: 'Ada Adler' });
    const email = newEmail();
    const link = shown(await ada.caller.management.member.invite({ email, role: 'editor' }));

    // A person is invited, renamed, works, and is renamed again.
    const own = await openWindow(new URL(link).pathname);
    await own.getByLabel('Name').fill('Bo Berg');
    await own.getByLabel('Password').fill(PASSWORD);
    await own.getByRole('button', { name: 'Accept' }).click();
    await own.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).waitFor();
    await rename(own, 'Bo Bond');
    await own.getByRole('navigation').getByRole('link', { name: 'Tasks', exact: true }).click();
    await own.getByText('0 tasks').waitFor();
    await own.keyboard.press('c');
    await own.getByLabel('Title').fill('Encrypt laptops');
    await own.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await own.getByRole('table', { name: 'Tasks' }).getByRole('link', { name: 'Encrypt laptops' }).click();
    await own.getByRole('textbox', { name: 'Comment' }).click();
    await own.getByRole('group', { name: 'Formatting' }).last().waitFor();
    await own.keyboard.type('I begin on Monday.');
    await own.getByRole('button', { name: 'Comment', exact: true }).click();
    await own.locator('.timeline').getByText('I begin on Monday.').waitFor();
    await rename(own, 'Bo Born');
    await own.getByRole('navigation').getByRole('link', { name: 'Tasks', exact: true }).click();
    await own.getByRole('table', { name: 'Tasks' }).getByRole('link', { name: 'Encrypt laptops' }).click();
    await own.getByRole('button', { name: 'Assign to me' }).click();
    await own.locator('.timeline').getByText('Bo Born', { exact: true }).first().waitFor();

    // Everybody else sees each name where it belongs.
    const [{ unique_id: task } = { unique_id: '' }] = await sql<{ unique_id: string }>(
      'select unique_id from task where company_id = $1',
      company.id,
    );
    const page = await openAs(ada, `/tasks/${task}`);
    const before = await timelineOf(page, 3);
    expect(before[0]).toMatch(/^Bo Bond created/);
    expect(before[1]).toMatch(/Bo Bond.*I begin on Monday\./);
    expect(before[2]).toMatch(/^Bo Born .*assignee/);

    // The window would read the inbox again, without a session.
    await own.close();

    // The membership ends, and the member is forgotten.
    await page.getByRole('navigation').getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Bo Born' }).click();
    await page.getByRole('menuitem', { name: 'End membership' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End membership' }).click();
    await page
      .getByRole('row', { name: /Bo Born/ })
      .getByText('Ended')
      .waitFor();
    const dialog = await openForget(page, 'Bo Born');
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Bo Berg');
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    await dialog.getByText('Enter Bo Born.').waitFor();
    await dialog.getByLabel('Name').fill('Bo Born');
    await dialog.getByLabel('Name').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Bo Born/ }).waitFor({ state: 'detached' });

    await page.getByRole('navigation').getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('table', { name: 'Tasks' }).getByRole('link', { name: 'Encrypt laptops' }).click();
    await page.locator('.timeline').getByText('Former member', { exact: true }).first().waitFor();
    const after = await timelineOf(page, 3);
    expect(after[0]).toMatch(/^Former member created/);
    expect(after[1]).toMatch(/Former member.*I begin on Monday\./);
    expect(after[2]).toMatch(/^Former member .*assignee/);
    expect(await page.locator('body').innerText()).not.toMatch(/Bo B/);

    await page.getByRole('navigation').getByRole('link', { name: 'Audit log', exact: true }).click();
    await page.getByText('Ada Adler deleted the name and email of').waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/Bo B/);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The audit log is intact.').waitFor();
    expect(await sql('select from person where email = $1', email)).toEqual([]);
  });

  test('is forgotten from the own page too, which leads back to the members', async () => {
    const company = await createCompany();
    const ada = await createMember(company, { name: 'Ada Adler' });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'editor' });
    await ada.caller.management.member.end({ uniqueId: bo.uniqueId });
    const page = await openAs(ada, `/members/${bo.uniqueId}`);
    await page.getByRole('heading', { level: 1, name: 'Bo Berg' }).waitFor();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget Bo Berg?' });
    await dialog.getByText('This cannot be undone').waitFor();
    await expectGoodViews(page);
    await dialog.getByLabel('Name').fill('Bo Berg');
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.getByRole('row', { name: /Ada Adler/ }).waitFor();
    await page.getByRole('row', { name: /Bo Berg/ }).waitFor({ state: 'detached' });
    expect((await ada.caller.management.member.list()).map(({ name }) => name)).toEqual(['Ada Adler']);
  });

  test('who joined again meanwhile is not forgotten, and the admin reads why', async () => {
    const company = await createCompany();
    const ada = await createMember(company, { name: 'Ada Adler' });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'editor' });
    await ada.caller.management.member.end({ uniqueId: bo.uniqueId });
    const page = await openAs(ada, '/members');
    expectConsole(/409/);
    const dialog = await openForget(page, 'Bo Berg');
    await createMember(company, { name: 'Bo Berg', role: 'editor', email: bo.email });
    await dialog.getByLabel('Name').fill('Bo Berg');
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    await dialog.getByText('end the membership first').waitFor();
    expect(await sql('select forgotten_at from member where unique_id = $1', bo.uniqueId)).toEqual([
      { forgotten_at: null },
    ]);
  });
});
