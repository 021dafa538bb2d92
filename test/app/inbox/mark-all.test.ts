import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';

/** Ben with two unread items of Ann, whose page is open. */
async function openInbox() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben', role: 'editor' });
  const assign = async (title: string) => {
    await ann.caller.task.create({ framework: company.framework, title, assigneeId: ben.user.uniqueId });
    await fillInboxes(company);
  };
  await assign('Review');
  await assign('Backup');
  const page = await openAs(ben, '/inbox');
  await link(page, 'Inbox, 2 unread').waitFor();
  await expect.poll(() => page.locator('[data-unread]').count()).toBe(2);
  const unread = async () => (await ben.caller.inbox.count()).unread;
  return { company, ben, assign, unread, page };
}

const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

const markAll = async (page: Page) => {
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('2 items were marked as read.').waitFor();
};

describeInBrowser('"Mark all as read"', () => {
  test('shows all items as read at once, and "Undo" takes it back', async () => {
    const { page, unread } = await openInbox();
    await markAll(page);
    await link(page, 'Inbox').waitFor();
    expect(await page.locator('[data-unread]').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await link(page, 'Inbox, 2 unread').waitFor();
    expect(await page.locator('[data-unread]').count()).toBe(2);
    expect(await unread()).toBe(2);
  });

  test('is sent when its message goes, and an item that arrives meanwhile stays unread', async () => {
    const { page, unread, assign } = await openInbox();
    await markAll(page);
    await assign('Access');
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(unread).toBe(1);
    await page.reload();
    await link(page, 'Inbox, 1 unread').waitFor();
    expect(await page.locator('[data-unread]').count()).toBe(1);
  });

  test('is sent when the window is closed', async () => {
    const { page, unread } = await openInbox();
    await markAll(page);
    await page.close();
    await expect.poll(unread).toBe(0);
  });

  test('names 250 items in batches', async () => {
    const { page, ben, company, unread } = await openInbox();
    const ann = await createMember(company, { name: 'Ann' });
    const batch = (length: number) =>
      ann.caller.task.batch({
        items: Array.from({ length }, (_, index) => ({
          op: 'create' as const,
          framework: company.framework,
          body: { title: `Task ${index}`, assigneeId: ben.user.uniqueId },
        })),
      });
    for (const length of [100, 100, 48]) await batch(length);
    await fillInboxes(company);
    await page.reload();
    await link(page, 'Inbox, 250 unread').waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('250 items were marked as read.').waitFor();
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(unread).toBe(0);
  });

  test('says so if it fails, and the items are unread again', async () => {
    const { page, unread } = await openInbox();
    expectConsole(/500/);
    await page.route('**/trpc/inbox.read**', (route) => route.fulfill({ status: 500, body: '{}' }));
    await markAll(page);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await page.getByRole('alert').getByText('The items could not be marked as read').waitFor();
    await link(page, 'Inbox, 2 unread').waitFor();
    await expect.poll(() => page.locator('[data-unread]').count()).toBe(2);
    expect(await unread()).toBe(2);
  });
});
