import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openAs, openAsMember } from '../support/app/application.ts';
import { createTask, evidenceOf, nameButton, textFile } from '../support/app/evidence.ts';

/** Name of the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate(`(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()`);
const expectFocus = async (page: Page, name: string) => {
  await expect.poll(() => focused(page)).toBe(name);
};
const expectFocusedHeading = async (page: Page, name: string) => {
  await expect.poll(() => page.locator('h1:focus').allInnerTexts()).toEqual([name]);
  await expect.poll(() => announced(page)).toBe(name);
};
const announced = (page: Page) => page.locator('#announcer').textContent();

/** Most presses of Tab that lead from the heading of a task to its evidence. */
const MAX_TABS = 8;

describeInBrowser('the focus', () => {
  test('goes to the heading of each page that a person opens, which is announced', async () => {
    const { ann, path } = await createTask();
    const page = await openAs(ann, '/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await announced(page)).toBe('');
    await page.getByRole('navigation').getByRole('link', { name: 'Tasks', exact: true }).press('Enter');
    await expectFocusedHeading(page, 'Tasks');
    await page.getByRole('link', { name: 'Review', exact: true }).press('Enter');
    await page.waitForURL(`**${path}`);
    await page.getByRole('button', { name: 'Attach file' }).waitFor();
    await expect.poll(() => page.locator('h1:focus').textContent()).toContain('Review');
    await expect.poll(() => announced(page)).toBe('Review');

    await page.goBack();
    await expectFocusedHeading(page, 'Tasks');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('Members');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringMatching(/^Members/)]);
    await page.keyboard.press('Enter');
    await expectFocusedHeading(page, 'Members');

    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Vendors', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocusedHeading(page, 'Vendors');
  });

  test('stays where a view or a filter was chosen', async () => {
    const { page } = await openAsMember('/tasks');
    await page.getByRole('navigation').getByRole('link', { name: 'My tasks' }).press('Enter');
    await expect.poll(() => announced(page)).toBe('My tasks');
    await expectFocus(page, 'My tasks');
    expect(await page.locator('nav :focus').count()).toBe(1);
  });

  test('returns after each dialog to what opened it', async () => {
    const { ann } = await createTask();
    const page = await openAs(ann, '/tasks');
    await page.getByRole('button', { name: 'New task' }).press('Enter');
    await page.getByRole('dialog', { name: 'New task' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, 'New task');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, 'New task');
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await page.getByRole('dialog', { name: 'Menu' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, 'Menu');
  });

  test(`reaches “Attach file” with at most ${MAX_TABS} keys, and returns there after attaching`, async () => {
    const { ann, path } = await createTask();
    const page = await openAs(ann, '/tasks');
    await page.getByRole('link', { name: 'Review', exact: true }).press('Enter');
    await page.waitForURL(`**${path}`);
    await evidenceOf(page).getByRole('button', { name: 'Attach file' }).waitFor();
    await page.locator('h1:focus').waitFor();
    const chooser = page.waitForEvent('filechooser');
    let keys = 0;
    while ((await focused(page)) !== 'Attach file' && keys <= MAX_TABS) {
      await page.keyboard.press('Tab');
      keys += 1;
    }
    expect(keys).toBeLessThanOrEqual(MAX_TABS);
    await page.keyboard.press('Enter');
    await (await chooser).setFiles([textFile('Access review.txt')]);
    await page.getByRole('dialog').getByLabel('Name').press('Enter');
    await nameButton(page, 'Access review.txt').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, 'Attach file');
  });
});
