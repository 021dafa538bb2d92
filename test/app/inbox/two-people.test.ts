import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../../server/config/settings.ts';
import { startService } from '../../../server/process/service.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { isWithoutChromium } from '../../support/app/chromium.ts';
import { testInChromium } from '../../support/app/shared-chromium.ts';
import { databaseUrl } from '../../support/database/database.ts';
import { OPERATOR_TOKEN, callManagement } from '../../support/http/client.ts';
import { decodeMail, startMailServer } from '../../support/servers/mail-server.ts';

// The whole service with its jobs and a mail server. Only its clock is moved.

const MINUTE_MS = 60_000;
/** Long enough for a busy machine. The benchmark of the feed measures the delay. */
const TIMEOUT = { timeout: 60_000 };

/** Starts a service with a mail server, until the test ends. */
async function startWithMail() {
  const folder = await mkdtemp(join(tmpdir(), 'two-people-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mails = await startMailServer();
  let ahead = 0;
  const settings = loadSettings({
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    OPERATOR_TOKEN,
    SMTP_URL: mails.url,
    SMTP_FROM: 'compliance@example.com',
  });
  const service = await startService(settings, createLog('silent'), { now: () => new Date(Date.now() + ahead) });
  onTestFinished(() => service.stop());
  return { url: service.appUrl, mails, later: (minutes: number) => void (ahead += minutes * MINUTE_MS) };
}

/** Accepts an invitation in a window of its own. */
async function acceptInvitation(browser: Browser, link: string, name: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(TIMEOUT.timeout);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'attached' });
  return page;
}

describe.skipIf(isWithoutChromium || databaseUrl !== undefined)('two people', () => {
  let browser: Browser;
  testInChromium.beforeAll(({ chromium }) => {
    browser = chromium;
  });

  test('work together: an assignment and a mention reach the inbox, then a mail, whose links open the task and unsubscribe', async () => {
    const { url, mails, later } = await startWithMail();
    const { id: company } = await callManagement<{ id: number }>(url, 'company.create', { name: 'Acme' });
    const { id: framework } = await callManagement<{ id: number }>(url, 'framework.create', { name: 'ISO' }, company);
    const invite = async (name: string) =>
      (
        await callManagement<{ link: string }>(
          url,
          'member.invite',
          { email: `${name}@example.com`, role: 'editor', showLink: true },
          company,
        )
      ).link;
    const ann = await acceptInvitation(browser, await invite('ann'), 'Ann');
    const ben = await acceptInvitation(browser, await invite('ben'), 'Ben');
    const created = await ann.request.post(`${url}/trpc/task.create`, {
      data: { framework, title: 'Review access' },
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    const { result } = (await created.json()) as { result: { data: { uniqueId: string } } };
    const taskUrl = `${url}/tasks/${result.data.uniqueId}`;

    await ann.goto(taskUrl);
    await ann.getByLabel('Assignee').click();
    await ann.getByRole('option', { name: 'Ben' }).click();
    await ann.getByText('set the assignee to Ben').waitFor();
    await ann.getByRole('textbox', { name: 'Comment' }).click();
    await ann.locator('.ProseMirror').last().waitFor();
    await ann.keyboard.type('Who has access? @ben');
    await ann.getByRole('option', { name: 'Ben' }).waitFor();
    await ann.keyboard.press('Enter');
    await ann.keyboard.press('Control+Enter');
    await ann.locator('.timeline > li').filter({ hasText: 'Who has access? @Ben' }).waitFor();

    const unread = async () => {
      const response = await ben.request.get(`${url}/trpc/inbox.count`, {
        headers: { 'Sec-Fetch-Site': 'same-origin' },
      });
      return ((await response.json()) as { result: { data: { unread: number } } }).result.data.unread;
    };
    await expect.poll(unread, TIMEOUT).toBe(2);
    await ben.goto(`${url}/inbox`);
    await ben.getByText('Ann mentioned you in a comment on Review access').waitFor();
    await ben.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox, 2 unread' }).waitFor();

    const mailsOf = () => mails.received.map(decodeMail).filter(({ subject }) => subject.includes('new items'));
    expect(mailsOf()).toEqual([]);
    later(2);
    await expect.poll(() => mailsOf().length, TIMEOUT).toBe(1);
    const [mail = expect.fail('a mail is missing')] = mailsOf();
    expect(mail).toMatchObject({ recipients: ['ben@example.com'], subject: '2 new items in your inbox' });
    expect(mail.text).toContain('Ann assigned “Review access” to you');
    expect(mail.text).toContain('Ann mentioned you in “Review access”');
    expect(mail.text + mail.html).not.toContain('Who has access');
    const [link = ''] = mail.text.match(/http\S+\/tasks\/\S+/) ?? [];
    expect(link).toBe(taskUrl);
    await ben.goto(link);
    await expect.poll(() => ben.getByLabel('Title').inputValue(), TIMEOUT).toBe('Review access');

    const [unsubscribe = ''] = mail.text.match(/http\S+\/unsubscribe\/\S+/) ?? [];
    await ann.context().clearCookies();
    const stranger = await ann.context().newPage();
    await stranger.goto(unsubscribe);
    await stranger.getByRole('button', { name: 'Unsubscribe' }).click();
    await stranger.getByText('You will not get these emails any more.').waitFor(TIMEOUT);
    await ben.goto(`${url}/account`);
    await ben.getByRole('switch', { name: 'Mentions' }).waitFor();
    for (const [name, isOn] of [
      ['Assigned to me', false],
      ['Mentions', false],
      ['Daily summary', true],
    ] as const)
      expect([name, await ben.getByRole('switch', { name }).isChecked()]).toEqual([name, isOn]);
  });
});
