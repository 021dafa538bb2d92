import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const place = (page: Page) => page.getByRole('group', { name: 'Place in the list' });

/** Waits until the page of a task has a title and a place. */
async function expectTask(page: Page, title: string, position: string): Promise<void> {
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe(title);
  await place(page).getByText(position, { exact: true }).waitFor();
}

describeInBrowser('the page of a record that was opened from a list', () => {
  test('leads to the previous and the next one in the order and filters of the list, over its pages, by buttons and keys', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const number = (index: number) => String(index).padStart(3, '0');
    for (const start of [0, 100])
      await ann.caller.task.batch({
        items: Array.from({ length: start === 0 ? 100 : 3 }, (_, index) => ({
          op: 'create' as const,
          framework: company.framework,
          body: { title: `Task ${number(start + index)}`, labels: ['audit'] },
        })),
      });
    const another = await company.newTask({ title: 'Another' });
    const page = await openAs(ann, '/tasks?label=audit&sort=createdAt');
    await page.getByText('103 tasks', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Task 000' }).click();
    await expectTask(page, 'Task 000', '1 of 103');
    expect(await place(page).getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await place(page).getByRole('button', { name: 'Next' }).click();
    await expectTask(page, 'Task 001', '2 of 103');
    await page.keyboard.press('j');
    await expectTask(page, 'Task 002', '3 of 103');
    await page.keyboard.press('k');
    await expectTask(page, 'Task 001', '2 of 103');
    // A key that belongs to a field does not leave the page.
    await page.getByLabel('Title').press('j');
    await expect.poll(() => page.getByLabel('Title').inputValue()).toContain('j');
    await page.keyboard.press('Escape');
    // The list is where it was, after any number of steps.
    await page.goBack();
    await page.getByText('103 tasks', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?label=audit&sort=createdAt');

    const isSecondPageLoaded = page.waitForRequest(/task\.listAll.*cursor/).then(() => true);
    const link = page.getByRole('link', { name: 'Task 070' });
    while ((await link.count()) === 0) await page.keyboard.press('PageDown');
    await link.click();
    for (let index = 70; index < 100; index++) {
      await expectTask(page, `Task ${number(index)}`, `${index + 1} of 103`);
      await page.keyboard.press('j');
    }
    await expectTask(page, 'Task 100', '101 of 103');
    expect(await isSecondPageLoaded).toBe(true);
    await page.keyboard.press('j');
    await expectTask(page, 'Task 101', '102 of 103');
    await page.keyboard.press('j');
    await expectTask(page, 'Task 102', '103 of 103');
    expect(await place(page).getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Back to the tasks' }).click();
    await page.getByText('103 tasks', { exact: true }).waitFor();

    // Who opened the page without a list has none.
    await page.goto(new URL(`/tasks/${another.uniqueId}`, page.url()).href);
    await page.getByRole('heading', { name: 'Evidence' }).waitFor();
    expect(await place(page).count()).toBe(0);
  });

  test('follows the outline of a framework as it is folded and filtered', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { framework } = company;
    const { uniqueId: parent } = await ann.caller.requirement.create({ framework, ref: 'A.5', title: 'Organisation' });
    for (const [ref, title] of [
      ['A.5.1', 'Policies'],
      ['A.5.2', 'Roles'],
    ] as const)
      await ann.caller.requirement.create({ framework, ref, title, parent });
    const page = await openAs(ann, `/frameworks/${framework}?q=roles`);
    await page.getByRole('link', { name: 'A.5.2 Roles' }).click();
    // The heading above it is shown, and does not match.
    await place(page).getByText('1 of 1', { exact: true }).waitFor();
    await page.goto(new URL(`/frameworks/${framework}`, page.url()).href);
    await page.getByRole('link', { name: 'A.5.1 Policies' }).click();
    await place(page).getByText('2 of 3', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await place(page).getByText('3 of 3', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Roles');
  });
});
