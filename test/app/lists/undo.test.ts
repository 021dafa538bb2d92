import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import type { View } from '../../support/app/windows.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** A member with two vendors, who opened the page of the first one. */
async function openVendor(view?: View) {
  const company = await createCompany();
  const ann = await createMember(company);
  const cloud = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
  const paper = await ann.caller.vendor.create({ name: 'Paper Ltd' });
  const page = await openAs(ann, '/vendors', view);
  await page.getByRole('link', { name: 'Cloud Ltd' }).click();
  await page.getByLabel('Name').waitFor();
  const names = async () => (await ann.caller.vendor.list()).map(({ name }) => name);
  return { company, ann, cloud, paper, page, names };
}

const deleteIt = async (page: Page) => {
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('“Cloud Ltd” was deleted.').waitFor();
};

describeInBrowser('a deletion', () => {
  test('hides the vendor in the list at once, and is undone by its button or by Ctrl+Z, and not by Escape', async () => {
    const { page, names } = await openVendor();
    await deleteIt(page);
    await page.waitForURL('**/vendors');
    await page.getByText('1 vendor', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Cloud Ltd' }).count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Cloud Ltd' }).click();

    await deleteIt(page);
    await page.getByText('1 vendor', { exact: true }).waitFor();
    await page.keyboard.press('Control+z');
    await page.getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await names()).toEqual(['Cloud Ltd', 'Paper Ltd']);
  });

  test('is sent when its message goes, which is after eight seconds, and not while it has the pointer or the focus', async () => {
    const { page, names } = await openVendor({ isAlone: true });
    await page.clock.install();
    await deleteIt(page);
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.clock.runFor(8500);
    expect(await undo.count()).toBe(1);
    await page.getByText('“Cloud Ltd” was deleted.').hover();
    await page.clock.runFor(60_000);
    expect(await undo.count()).toBe(1);
    await undo.focus();
    await page.mouse.move(300, 10);
    await page.clock.runFor(60_000);
    expect(await undo.count()).toBe(1);
    expect(await names()).toEqual(['Cloud Ltd', 'Paper Ltd']);
    await page.getByLabel('Search vendors').focus();
    await page.clock.runFor(11_000);
    expect(await undo.count()).toBe(0);
    await expect.poll(names).toEqual(['Paper Ltd']);
    expect(await page.getByRole('link', { name: 'Cloud Ltd' }).count()).toBe(0);
  });

  test.each([
    ['the window is closed', (page: Page) => page.close()],
    ['another site is opened', (page: Page) => page.goto('about:blank')],
    ['the page is loaded again', (page: Page) => page.reload()],
  ])('is sent when %s', async (_, leave) => {
    const { page, names } = await openVendor();
    await deleteIt(page);
    await leave(page);
    await expect.poll(names).toEqual(['Paper Ltd']);
  });

  test('is sent before the next one, and the page of a vendor that is being deleted says so', async () => {
    const { page, names } = await openVendor();
    await deleteIt(page);
    await page.goForward();
    await page.getByRole('heading', { name: 'Vendor not found' }).waitFor();
    await page.getByRole('link', { name: 'Back to the vendors' }).click();
    await page.getByRole('link', { name: 'Paper Ltd' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Paper Ltd” was deleted.').waitFor();
    await expect.poll(names).toEqual(['Paper Ltd']);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(names).toEqual([]);
  });

  test('is sent before the sign-out', async () => {
    const { page, names } = await openVendor();
    await deleteIt(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await names()).toEqual(['Paper Ltd']);
  });

  test('is sent before the session changes to another company', async () => {
    const { ann, page, names } = await openVendor();
    await createMember(await createCompany('Umbrella'), { email: ann.email });
    await page.reload();
    await deleteIt(page);
    await page.getByLabel('Company').selectOption('Umbrella');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await names()).toEqual(['Paper Ltd']);
  });

  test('that fails says so with the name, and the vendor is in the list again', async () => {
    const { page } = await openVendor();
    await deleteIt(page);
    expectConsole(/500/);
    await page.route('**/trpc/vendor.delete', (route) => route.fulfill({ status: 500, body: 'down' }));
    await page.getByRole('button', { name: 'Close the message' }).click();
    const alert = page.getByRole('alert').filter({ hasText: '“Cloud Ltd” could not be deleted' });
    await alert.waitFor();
    await page.getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    await expectAccessible(page);
    await alert.getByRole('button', { name: 'Hide' }).click();
    await alert.waitFor({ state: 'detached' });
  });
});
