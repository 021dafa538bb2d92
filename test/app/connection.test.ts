import { expect, test } from 'vitest';
import { describeInBrowser, expectConsole, openAsMember } from '../support/app/application.ts';

describeInBrowser('a page that is not loaded, without a connection', () => {
  test('shows the error inside the application, which keeps its window, and comes by itself', async () => {
    const { page } = await openAsMember('/account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.evaluate('window.isKept = true');
    expectConsole(/Failed to load|Failed to fetch|not loaded|dynamically imported/);
    await page.route(/\/(?:assets|session|trpc)\b/, (route) => route.abort('internetdisconnected'));
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Account' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('button', { name: 'New endpoint' }).waitFor();
    expect(await page.evaluate('window.isKept')).toBe(true);
  });
});
