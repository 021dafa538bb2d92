import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAs } from '../../support/app/application.ts';
import { chooseFiles, confirmAttach, createTask, day, nameButton, textFile } from '../../support/app/evidence.ts';

const URL_OF_POLICY = 'https://wiki.example.com/access';

/** A task and a vendor with evidence that is expiring, and one of each without. */
async function createExpiring() {
  const { company, ann, taskUniqueId, path } = await createTask();
  await ann.caller.task.create({ framework: company.framework, title: 'Test the backup' });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
  await ann.caller.vendor.create({ name: 'Mail Inc' });
  const link = { url: URL_OF_POLICY, date: '2020-01-01' };
  await ann.caller.evidence.link({ ...link, taskUniqueId, name: 'Policy', validUntil: day(12) });
  await ann.caller.evidence.link({ ...link, vendor, name: 'Certificate', validUntil: day(-3) });
  return { ann, taskUniqueId, path, vendor };
}

describeInBrowser('evidence in lists', () => {
  test('is a column and a filter of the tasks', async () => {
    const { ann } = await createExpiring();
    const page = await openAs(ann, '/tasks', { width: 1920 });
    const row = page.getByRole('row').filter({ hasText: 'Review' });
    await row.waitFor();
    expect(await row.locator('[data-column=evidenceCount]').innerText()).toBe('1');
    await page.getByRole('button', { name: 'Filters' }).click();
    await choose(page, 'Evidence', 'No evidence');
    await page.getByRole('button', { name: 'Remove filter Evidence: No evidence' }).waitFor();
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Test the backup' }).waitFor();
    expect(new URL(page.url()).searchParams.get('evidence')).toBe('none');
  });

  test('is a column and a filter of the vendors', async () => {
    const { ann } = await createExpiring();
    const page = await openAs(ann, '/vendors', { width: 1920 });
    const row = page.getByRole('row').filter({ hasText: 'Cloud Ltd' });
    await row.waitFor();
    expect(await row.locator('[data-column=evidenceCount]').innerText()).toBe('1');
    await page.getByRole('button', { name: 'Filters' }).click();
    await choose(page, 'Evidence', 'Expiring evidence');
    await page.getByText('1 vendor', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Evidence: Expiring evidence' }).click();
    await page.getByText('2 vendors', { exact: true }).waitFor();
    await expectGoodViews(page);
  });

  test('that expires is on the overview, with links to its tasks and vendors', async () => {
    const { ann, taskUniqueId } = await createExpiring();
    const page = await openAs(ann, '/');
    const panel = page.getByRole('region', { name: 'Expiring evidence' });
    await panel.getByText('Expires in 12 days').waitFor();
    await panel.getByText('Expired 3 days ago').waitFor();
    await expectGoodViews(page);
    await panel.getByRole('link', { name: 'Review' }).click();
    await page.waitForURL(new RegExp(taskUniqueId));
    await nameButton(page, 'Policy').waitFor();
  });

  test('goes with its vendor, which is said before the deletion', async () => {
    const { ann, vendor } = await createExpiring();
    const page = await openAs(ann, `/vendors/${vendor}`);
    await chooseFiles(page, [textFile('Contract.txt')]);
    await confirmAttach(page);
    await nameButton(page, 'Contract.txt').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this vendor and its evidence?' });
    await dialog.getByText('2 pieces of evidence').waitFor();
    await dialog.getByLabel('Name').fill('Cloud Ltd');
    await dialog.getByRole('button', { name: 'Delete vendor and evidence' }).click();
    await page.getByText('“Cloud Ltd” was deleted.').waitFor();
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(async () => (await ann.caller.vendor.list()).map(({ name }) => name)).toEqual(['Mail Inc']);
    expect((await ann.caller.evidence.listAll({})).items).toMatchObject([{ name: 'Policy' }]);
  });
});
