import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAsMember } from '../../support/app/application.ts';

describeInBrowser('a person', () => {
  test('creates a vendor and finds it in the table', async () => {
    const { ann, page } = await openAsMember('/vendors');
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cloud Ltd');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    await expectGoodViews(page);
    expect(await ann.caller.vendor.list()).toMatchObject([{ name: 'Cloud Ltd' }]);

    await choose(page, 'Status', 'Archived');
    await page.getByText('No vendors match these filters.').waitFor();
    await page.getByLabel('Search vendors').fill('cloud');
    await page.getByRole('button', { name: 'Remove filter Search: cloud' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Status: Archived' }).click();
    await page.getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=cloud');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByLabel('Search vendors').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('');
  });
});
