import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';

/** A company with the admin Ann and the editor Ben, whose inbox it is. */
async function createPair() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben', role: 'editor' });
  /** Creates a task that Ann assigns to Ben. */
  const assign = (title: string) =>
    ann.caller.task.create({ framework: company.framework, title, assigneeId: ben.user.uniqueId });
  const unread = async () => (await ben.caller.inbox.count()).unread;
  return { company, ann, ben, assign, unread };
}

/** The same with a task "Review" that has three items, and a task "Backup" with one. The newest item is that of "Backup". */
async function createItems() {
  const pair = await createPair();
  const { company, ann, ben, assign } = pair;
  const { uniqueId: taskUniqueId } = await assign('Review');
  await ann.caller.comment.create({ taskUniqueId, text: '<p>Look</p>', mentions: [ben.user.uniqueId] });
  await ann.caller.task.update({ taskUniqueId, status: 'in_progress' });
  await assign('Backup');
  await fillInboxes(company);
  return { ...pair, taskUniqueId };
}

const rows = (page: Page) => page.getByRole('table', { name: 'Inbox' }).locator('tbody tr[aria-rowindex]');
/** The sentences of all rows. */
const sentences = (page: Page) => rows(page).locator('.inbox-sentence').allInnerTexts();
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

describeInBrowser('the inbox', () => {
  test('is in the navigation with the number of unread items, and explains itself while it is empty', async () => {
    const { company, ben, assign } = await createPair();
    const page = await openAs(ben, '/inbox');
    await page.getByText('Your inbox shows tasks that are assigned to you').waitFor();
    const myTasks = page.getByRole('main').getByRole('link', { name: 'My tasks' });
    expect(await myTasks.getAttribute('href')).toContain('/tasks?assignee=me&status=open');
    await page.locator('main').getByRole('link', { name: 'Tasks' }).waitFor();
    await link(page, 'Inbox').waitFor();
    await expectGoodViews(page);
    await assign('Review');
    await fillInboxes(company);
    await page.reload();
    await link(page, 'Inbox, 1 unread').waitFor();
    await expect.poll(() => sentences(page)).toEqual(['Ann assigned Review to you']);
  });

  test('reads the items of a task that is opened by another way', async () => {
    const { ben, taskUniqueId, unread } = await createItems();
    const page = await openAs(ben, `/tasks/${taskUniqueId}`);
    await link(page, 'Inbox, 1 unread').waitFor();
    await expect.poll(unread).toBe(1);
    await link(page, 'Inbox, 1 unread').click();
    await expect.poll(() => page.locator('[data-unread]').allInnerTexts()).toEqual([expect.stringContaining('Backup')]);
  });

  test('groups the items of a task below the newest one, which unfolds', async () => {
    const { ben } = await createItems();
    const page = await openAs(ben, '/inbox');
    await expect
      .poll(() => sentences(page))
      .toEqual(['Ann assigned Backup to you', 'Ann changed the status of Review']);
    await page.getByText('4 unread items').waitFor();
    await page.getByRole('button', { name: /^2 earlier/ }).click();
    await expect
      .poll(() => sentences(page))
      .toEqual([
        'Ann assigned Backup to you',
        'Ann changed the status of Review',
        'Ann mentioned you in a comment on Review',
        'Ann assigned Review to you',
      ]);
    await expectGoodViews(page);
  });

  test('shows what one person did to many tasks as one line', async () => {
    const { company, ben, ann } = await createPair();
    const items = Array.from({ length: 100 }, (_, index) => ({
      op: 'create' as const,
      framework: company.framework,
      body: { title: `Task ${index}`, assigneeId: ben.user.uniqueId },
    }));
    await ann.caller.task.batch({ items });
    await ann.caller.task.batch({ items });
    await fillInboxes(company);
    const page = await openAs(ben, '/inbox');
    await expect.poll(() => sentences(page)).toEqual(['Ann assigned 200 tasks to you']);
    await link(page, 'Inbox, 200 unread').locator('[data-count="99+"]').waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu, 200 unread' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Show each' }).click();
    await page.getByRole('link', { name: 'Task 99', exact: true }).first().waitFor();
    await page.keyboard.press('e');
    await link(page, 'Inbox').waitFor();
    await expect.poll(() => ben.caller.inbox.count()).toEqual({ unread: 0 });
  });

  test('marks the focused line as read with "e", opens it with Enter, and reads what is opened', async () => {
    const { ben, unread, taskUniqueId } = await createItems();
    const page = await openAs(ben, '/inbox');
    await link(page, 'Inbox, 4 unread').waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await link(page, 'Inbox, 3 unread').waitFor();
    await expect.poll(unread).toBe(3);
    expect(await rows(page).first().locator('[data-unread]').count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${taskUniqueId}`);
    await link(page, 'Inbox').waitFor();
    await expect.poll(unread).toBe(0);
    await page.goBack();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await page.locator('[data-unread]').count()).toBe(0);
  });

  test('shows unread items only with a filter in the address, where a read line leaves and the next one has the focus', async () => {
    const { ben } = await createItems();
    const page = await openAs(ben, '/inbox');
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByText('Unread', { exact: true }).click();
    await page.waitForURL('**/inbox?unread=true');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Backup' }).focus();
    await page.keyboard.press('e');
    await expect.poll(() => sentences(page)).toEqual(['Ann changed the status of Review']);
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Review');
    await page.getByRole('button', { name: /^Mark as read/ }).click();
    await page.getByText('You have read everything.').waitFor();
    await page.getByRole('button', { name: 'Show all items' }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
  });

  test('shows an item of another company only there', async () => {
    const { ben } = await createItems();
    const other = await createCompany('Umbrella');
    const page = await openAs(await createMember(other, { email: ben.email }), '/inbox');
    await page.getByText('Your inbox shows tasks that are assigned to you').waitFor();
    expect(await page.locator('[data-unread]').count()).toBe(0);
    await link(page, 'Inbox').waitFor();
  });
});
