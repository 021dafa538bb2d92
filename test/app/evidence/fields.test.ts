import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { addFile, createTask, day, evidenceOf, nameButton, textFile } from '../../support/app/evidence.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createMember } from '../../support/tenants/member.ts';

const URL_OF_POLICY = 'https://wiki.example.com/access';

/** Leaves a field, which saves it. */
const leave = (page: Page) => page.keyboard.press('Tab');

describeInBrowser('a piece of evidence', () => {
  test('is edited where it is, and says beside a field why it was not saved', async () => {
    const { company, ann, taskUniqueId, path, stored } = await createTask();
    await ann.caller.evidence.link({ taskUniqueId, url: URL_OF_POLICY, name: 'Policy', date: '2026-06-30' });
    const page = await openAs(ann, path);
    await nameButton(page, 'Policy').click();
    const part = evidenceOf(page);
    await part.getByLabel('Name of the evidence').fill('Access policy');
    await leave(page);
    await part.getByText('Saved').waitFor();
    await nameButton(page, 'Access policy').waitFor();
    await part.getByLabel('Note').fill('Signed');
    await leave(page);
    await expect.poll(stored).toMatchObject([{ name: 'Access policy', note: 'Signed', date: '2026-06-30' }]);
    expectConsole(/422/);
    await part.getByLabel('Valid until').fill('2026-06-29');
    await part.getByLabel('Valid until').press('Enter');
    await part
      .getByRole('alert')
      .getByText(/^Not saved\./)
      .waitFor();
    await part.getByLabel('Valid until').fill('2027-06-29');
    await part.getByLabel('Valid until').press('Enter');
    await expect.poll(stored).toMatchObject([{ validUntil: '2027-06-29' }]);
    // The changes of one minute are one line.
    await inOneMinute(company);
    await page.reload();
    await page.getByRole('button', { name: 'changed evidence 3 times' }).click();
    await page.getByText('set the last day of validity of evidence to Jun 29, 2027').waitFor();
  });

  test('shows both versions if two people change a field at once', async () => {
    const { ann, company, taskUniqueId, path, stored } = await createTask();
    const { uniqueId } = await ann.caller.evidence.link({ taskUniqueId, url: URL_OF_POLICY, name: 'Policy' });
    const ben = await createMember(company, { name: 'Ben' });
    const page = await openAs(ann, path);
    await nameButton(page, 'Policy').click();
    await evidenceOf(page).getByLabel('Note').fill('By Ann');
    await ben.caller.evidence.update({ evidence: uniqueId, note: 'By Ben' });
    expectConsole(/412/);
    await leave(page);
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByText('By Ben').first().waitFor();
    await dialog.getByRole('radio', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject([{ note: 'By Ann' }]);
  });

  test('that expires within 30 days, or has expired, is marked with words', async () => {
    const { ann, taskUniqueId, path } = await createTask();
    const add = (name: string, validUntil: string) =>
      ann.caller.evidence.link({ taskUniqueId, url: URL_OF_POLICY, name, date: '2020-01-01', validUntil });
    await add('Far', day(31));
    await add('Soon', day(12));
    await add('Past', day(-3));
    const page = await openAs(ann, path);
    const items = evidenceOf(page).getByRole('listitem');
    await items.filter({ hasText: 'Past' }).getByText('Expired 3 days ago').waitFor();
    await items.filter({ hasText: 'Soon' }).getByText('Expires in 12 days').waitFor();
    expect(await items.filter({ hasText: 'Far' }).innerText()).not.toMatch(/Expire[sd]/);
    await expectGoodViews(page);
  });

  test('is deleted after a question', async () => {
    const { ann, taskUniqueId, path, stored } = await createTask();
    await addFile(ann, `task/${taskUniqueId}`, textFile('Review.txt'));
    const page = await openAs(ann, path);
    await nameButton(page, 'Review.txt').click();
    await page.getByRole('button', { name: 'Delete file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this file?' });
    await dialog.getByText('cannot be restored').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await stored()).toHaveLength(1);
    await page.getByRole('button', { name: 'Delete file' }).click();
    await dialog.locator('button:focus', { hasText: 'Delete' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('removed “\u2068Review.txt\u2069”').waitFor();
    await expect.poll(() => nameButton(page, 'Review.txt').count()).toBe(0);
    expect(await stored()).toEqual([]);
  });

  test('is only read and downloaded by an auditor', async () => {
    const { ann, company, taskUniqueId, path } = await createTask();
    await addFile(ann, `task/${taskUniqueId}`, textFile('Review.txt'));
    const page = await openAs(await createMember(company, { role: 'auditor' }), path);
    await nameButton(page, 'Review.txt').click();
    await evidenceOf(page).getByText('SHA-256').waitFor();
    await page.getByRole('link', { name: 'Download Review.txt' }).waitFor();
    expect(await page.getByRole('button', { name: /Attach|Add link|Delete/ }).count()).toBe(0);
    expect(await evidenceOf(page).locator('input, textarea').count()).toBe(0);
  });
});
