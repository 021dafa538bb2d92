import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';

/** Hides a tab, or shows it again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: '${isHidden ? 'hidden' : 'visible'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

/** A page with a clock that the test moves, and the number of requests for the number of unread items. */
async function openWithClock(path: string, heading: string) {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben', role: 'editor' });
  const page = await openAs(ben, path, { isAlone: true });
  // A request of the first load must not count.
  await page.getByRole('heading', { name: heading }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.clock.install();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().includes('inbox.count')) requests += 1;
  });
  await page.reload();
  await page.getByRole('heading', { name: heading }).waitFor();
  await expect.poll(() => requests).toBe(1);
  await page.waitForLoadState('networkidle');
  const assign = async (title: string) => {
    await ann.caller.task.create({ framework: company.framework, title, assigneeId: ben.user.uniqueId });
    await fillInboxes(company);
  };
  return { page, assign, requests: () => requests };
}

const inbox = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

describeInBrowser('the number of unread items', () => {
  test.each([
    ['/account', 'Account'],
    ['/inbox', 'Inbox'],
  ])('is read again after 30 seconds on %s, and not before', async (path, heading) => {
    const { page, assign, requests } = await openWithClock(path, heading);
    await assign('Review');
    await page.clock.runFor(25_000);
    expect(requests()).toBe(1);
    await page.clock.runFor(10_000);
    await inbox(page, 'Inbox, 1 unread').waitFor();
    expect(requests()).toBe(2);
  });

  test('is not read in a hidden tab, and is read when the tab is shown again', async () => {
    const { page, assign, requests } = await openWithClock('/account', 'Account');
    await setHidden(page, true);
    await assign('Review');
    await page.clock.runFor(300_000);
    expect(requests()).toBe(1);
    await setHidden(page, false);
    await inbox(page, 'Inbox, 1 unread').waitFor();
    expect(requests()).toBe(2);
    await setHidden(page, true);
    await setHidden(page, false);
    await page.clock.runFor(20_000);
    expect(requests()).toBe(2);
  });
});
