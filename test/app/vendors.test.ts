import { expect, test } from 'vitest';
import { describeInBrowser, expectGoodViews, openAsMember } from '../support/app/application.ts';

describeInBrowser('a person', () => {
  test('creates a vendor and finds it in the table', async () => {
    const { ann, page } = await openAsMember('/vendors');
    await page.getByRole('button', { name: 'New vendor' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cloud Ltd');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    await expectGoodViews(page, 'vendors');
    expect(await ann.caller.vendor.list()).toMatchObject([{ name: 'Cloud Ltd' }]);
  });
});
