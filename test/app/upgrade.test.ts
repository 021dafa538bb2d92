import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { VERSION } from '../../database/version.ts';
import { expectAccessible } from '../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAsMember } from '../support/app/application.ts';

const NEWER = '90.1.0';
const NOTICE = 'A new version is running';

/** Makes the responses of the service name a newer version, as after an upgrade, until the page is loaded again. */
async function upgrade(page: Page): Promise<void> {
  let isReloaded = false;
  page.on('request', (request) => (isReloaded ||= request.isNavigationRequest()));
  await page.route('**/trpc/**', async (route) => {
    if (isReloaded) return route.continue();
    // Playwright sends the request itself, without the header of a page.
    const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
    const response = await route.fetch({ headers });
    return route.fulfill({ response, headers: { ...response.headers(), 'x-service-version': NEWER } });
  });
}

describeInBrowser('a page that was open during an upgrade', () => {
  test('shows the version under Account, and a notice after the upgrade', async () => {
    const { page } = await openAsMember('/account', {}, { width: 360, colorScheme: 'dark' });
    await page.getByText(`Version ${VERSION}`, { exact: true }).waitFor();
    expect(await page.getByText(NOTICE).count()).toBe(0);
    await upgrade(page);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Vendors' }).click();
    await page.getByRole('status').getByText(NOTICE).waitFor();
    await expectAccessible(page);
  });

  test('works on, and its button loads the new one', async () => {
    const { page } = await openAsMember('/account');
    await upgrade(page);
    await page.getByLabel('Name').fill('Ann Lee');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(NOTICE).waitFor();
    await page.locator('.sidebar').getByText('Ann Lee').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Reload' }).click();
    await page.getByText(`Version ${VERSION}`, { exact: true }).waitFor();
    expect(await page.getByText(NOTICE).count()).toBe(0);
  });

  test('asks before a reload drops text that was typed, and keeps it', async () => {
    const { page } = await openAsMember('/vendors', { role: 'editor' });
    await upgrade(page);
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cloud Ltd');
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate('location.reload()');
    await expect.poll(() => questions).toEqual(['beforeunload']);
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Cloud Ltd');
  });

  test('keeps text that a stopped service did not take', async () => {
    const { page } = await openAsMember('/vendors', { role: 'editor' });
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Cloud Ltd');
    expectConsole(/Failed to load resource/);
    await page.route('**/trpc/**', (route) => route.abort('connectionrefused'));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Cloud Ltd');
    await page.unroute('**/trpc/**');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('heading', { name: 'Cloud Ltd' })
      .or(page.getByRole('link', { name: 'Cloud Ltd' }))
      .first()
      .waitFor();
  });

  test('shows the notice in place of a part whose code the upgrade has replaced', async () => {
    const { page } = await openAsMember('/vendors');
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
    await upgrade(page);
    expectConsole(/404|Failed to fetch|Failed to load/);
    await page.route('**/assets/command-palette*', (route) => route.fulfill({ status: 404, body: '' }));
    await page.keyboard.press('Control+k');
    await page.getByText(NOTICE).first().waitFor();
    await page.getByRole('heading', { name: 'Vendors' }).waitFor();
  });
});
