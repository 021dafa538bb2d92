import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import { describeInBrowser, openAs, openAsMember } from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { indexAll } from '../support/tenants/search.ts';

const SEARCH = 'Search everything';

describeInBrowser('the command palette', () => {
  test('opens from a button, and creates a task, which it then shows', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('combobox', { name: SEARCH }).waitFor();
    await expectAccessible(page);
    await page.getByRole('combobox', { name: SEARCH }).fill('new ta');
    await page.getByRole('option', { name: 'New task' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Title').fill('Test the restore');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Test the restore' }).waitFor();
  });

  test('opens on a phone', async () => {
    const { page } = await openAsMember('/account', {}, { width: 375 });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('option', { name: 'New vendor' }).click();
    const dialog = page.getByRole('dialog', { name: 'New vendor' });
    await dialog.getByLabel('Name').fill('Cloud Ltd');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cloud Ltd' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/vendors\/./);
  });

  test.each([
    [
      'admin',
      [
        'New task',
        'New vendor',
        'Invite people',
        'Import a file',
        'Export',
        'Sample',
        'Export an audit proof',
        'Open the API documentation',
        'Switch to the dark theme',
      ],
    ],
    [
      'editor',
      [
        'New task',
        'New vendor',
        'Import a file',
        'Export',
        'Sample',
        'Open the API documentation',
        'Switch to the dark theme',
      ],
    ],
    [
      'auditor',
      ['Export', 'Sample', 'Export an audit proof', 'Open the API documentation', 'Switch to the dark theme'],
    ],
  ] as const)('offers an %s the actions that the role permits', async (role, actions) => {
    const page = await openAs(await createMember(await createCompany(), { role }), '/account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.keyboard.press('Control+k');
    const options = page.getByRole('option').filter({ hasText: 'Action' });
    await expect
      .poll(async () => (await options.allInnerTexts()).map((text) => text.split('\n')[0]))
      .toEqual([...actions, 'Sign out']);
  });

  test('finds objects by their words, each with its kind, place and status, and leads there', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const task = await acme.newTask({ title: 'Review access rights', dueDate: '2027-01-31' });
    await ann.caller.comment.create({ taskUniqueId: task.uniqueId, text: '<p>The <b>aardvark</b> has too many</p>' });
    await acme.vendor.create({ name: 'Aardvark Ltd' });
    await indexAll(acme);
    const page = await openAs(ann, '/account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.keyboard.press('Control+k');
    const linesOf = async () => (await page.getByRole('option').allInnerTexts()).map((text) => text.split('\n'));
    await page.getByRole('combobox', { name: SEARCH }).fill('aardv');
    await expect.poll(linesOf).toEqual([
      ['Aardvark Ltd', 'Active', 'Vendor'],
      ['Review access rights', 'The aardvark has too many', 'Comment'],
    ]);
    await page.getByRole('combobox', { name: SEARCH }).fill('rev acc');
    await expect
      .poll(linesOf)
      .toEqual([
        [
          'Review access rights',
          expect.stringMatching(/^ISO 27001 · Todo · due 31 Jan(uary)? 2027$|^ISO 27001 · Todo · due Jan 31, 2027$/),
          'Task',
        ],
      ]);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Review access rights' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Export Action', exact: true }).click();
    await page.getByRole('menuitem', { name: 'CSV with commas' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/tasks');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Sample Action', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toMatch(/sort=sample&seed=[\da-f]{8}&sample=10/);
  });

  test('leads to the open tasks, as the navigation does', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Tasks Page', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=open');
  });

  test('switches the theme and signs out', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Switch to the dark theme' }).click();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: SEARCH }).fill('sign out');
    await page.getByRole('option', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor({ state: 'hidden' });
    await page.getByLabel('Password').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });
});

describeInBrowser('the sidebar', () => {
  test('keeps all controls in a low window, where its navigation scrolls', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 600 });
    const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { y: 0, height: 0 };
    for (const name of ['Search', '? Keyboard shortcuts', 'Sign out']) {
      const { y, height } = await boxOf(page.getByRole('button', { name, exact: true }));
      expect(height).toBeGreaterThanOrEqual(28);
      expect(y + height).toBeLessThanOrEqual(600);
    }
    expect((await boxOf(page.getByRole('radiogroup', { name: 'Colour scheme' }))).height).toBeGreaterThanOrEqual(28);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    const link = await boxOf(page.getByRole('link', { name: 'Audit log' }));
    const help = await boxOf(page.getByRole('button', { name: /Keyboard shortcuts$/ }));
    expect(link.y + link.height).toBeLessThanOrEqual(help.y);
    await expectGoodViews(page);
  });
});
