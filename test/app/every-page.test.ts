import { expect, test } from 'vitest';
import { describeInBrowser, expectGoodViews, openAs, openAsMember, openWindow } from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const PAGES = [
  'Overview',
  'Tasks',
  'Vendors',
  'Frameworks',
  'API keys',
  'Audit log',
  'Members',
  'Webhooks',
  'Imports',
  'Account',
];

/** Bytes of responses until the sign-in form works. */
const MAX_FIRST_LOAD = 250_000;

describeInBrowser('the application', () => {
  test('has a link to each page, and each page has its title', async () => {
    const { page } = await openAsMember('/');
    for (const name of PAGES) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await expect.poll(() => page.title()).toBe(`${name} · Compliance`);
    }
  });

  test('opens the navigation of a narrow window with the button "Menu"', async () => {
    const page = await openAs(await createMember(await createCompany()), '/webhooks', { width: 375 });
    await expectGoodViews(page, 'webhooks');
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  });

  test('shows the form of the link /reset without a session', async () => {
    const page = await openWindow(`/reset/${'a'.repeat(43)}`);
    await page.getByLabel('Password').waitFor();
    await expectGoodViews(page, 'reset');
  });

  test('needs less than 250 kB until the sign-in form works', async () => {
    const page = await openWindow('/sign-in');
    await page.getByLabel('Password').waitFor();
    const bytes: unknown = await page.evaluate(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD);
  });
});
