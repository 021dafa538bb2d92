import { expect, test } from 'vitest';
import { OPERATOR } from '../../../entities/company/user.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import type { InboxReason, InboxResourceType } from '../../../entities/inbox/item.ts';
import type { AccountVerb } from '../../../entities/member/member.ts';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { writeAccountEvent } from '../../support/tenants/account-events.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';

/** The admin Ann, and a function that puts an item into her inbox. */
async function createInbox() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  /** @param count items for as many occasions */
  const add = (reason: InboxReason, type: InboxResourceType, resource: string, { actor, count = 1 }: Options = {}) =>
    sql(
      `insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, actor_id, occasion)
       select $1, $2, uuid_v7(), now(), $3, $4, $5, $6, 'occasion ' || number from generate_series(1, $7::int) number`,
      company.id,
      ann.user.uniqueId,
      reason,
      type,
      resource,
      actor ?? null,
      count,
    );
  const { uniqueId: task } = await ann.caller.task.create({ framework: company.framework, title: 'Review' });
  return { company, ann, task, add };
}

interface Options {
  actor?: string;
  count?: number;
}

describeInBrowser('an item of the inbox', () => {
  test('is a sentence for each reason, with a link to the page of its resource', async () => {
    const { company, ann, task, add } = await createInbox();
    const newTask = async (title: string) =>
      (await ann.caller.task.create({ framework: company.framework, title })).uniqueId;
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const { uniqueId: webhook } = await ann.caller.webhook.create({ url: 'https://example.com/hook' });
    const leaked = await company.manage.apiKey.create({ name: 'Backup key' });
    const ended = newUniqueId();
    await sql(
      `insert into import (company_id, unique_id, kind, format, created_by_id, request_id) values ($1, $2, 'vendor', 'csv', $3, 'test')`,
      company.id,
      ended,
      ann.user.uniqueId,
    );
    const { uniqueId: proof, asOf } = await ann.caller.proof.create({});
    await add('due', 'task', task);
    await add('overdue', 'task', await newTask('Backup'));
    await add('evidence', 'task', await newTask('Access'));
    await add('review', 'vendor', vendor);
    await add('import', 'import', ended);
    await add('proof', 'proof', proof);
    await add('key', 'apiKey', company.apiKey.uniqueId);
    await add('key', 'apiKey', leaked.uniqueId, { actor: company.apiKey.user.uniqueId });
    await add('webhook', 'webhook', webhook);
    const page = await openAs(ann, '/inbox');
    await expect
      .poll(() => page.locator('.inbox-sentence').allInnerTexts())
      .toEqual([
        'Webhook https://example.com/hook was disabled',
        'API key Backup key was leaked',
        'API key Integration of Acme expires soon',
        `Your proof as of ${asOf.slice(0, 10)} has ended`,
        'Your import of vendors has ended',
        'The review of Cloud Ltd is due soon',
        'Evidence of Access expires soon',
        'Backup is overdue',
        'Review is due soon',
      ]);
    const addresses = page.locator('.inbox-sentence a');
    expect(await Promise.all([0, 1, 3, 4, 5, 8].map((index) => addresses.nth(index).getAttribute('href')))).toEqual([
      `/webhooks/${webhook}`,
      `/api-keys?key=${leaked.uniqueId}`,
      `/audit-log/proofs?proof=${proof}`,
      `/imports?import=${ended}`,
      `/vendors/${vendor}`,
      `/tasks/${task}`,
    ]);
    await expectGoodViews(page);
  });

  test('says what happened to the own account, each change for itself, and who else made it', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const ben = await createMember(company, { name: 'Ben', role: 'editor' });
    const write = (verb: AccountVerb, by: string) => writeAccountEvent(company, verb, { of: ben.user.uniqueId, by });
    const own = ben.user.uniqueId;
    await write('prove', OPERATOR.uniqueId);
    await write('resetPassword', ann.user.uniqueId);
    await write('passwordReset', own);
    await write('passwordChange', own);
    await write('passkeyAdd', own);
    await write('passkeyRemove', own);
    await write('totpEnable', own);
    await write('totpDisable', own);
    await fillInboxes(company);
    const page = await openAs(ben, '/inbox');
    const sentences = page.locator('.inbox-sentence');
    await expect
      .poll(async () => (await sentences.allInnerTexts()).toSorted())
      .toEqual([
        'A link to reset your password was created by Ann',
        'A passkey was added to your account',
        'A passkey was removed from your account',
        'The second factor of your account was turned off',
        'The second factor of your account was turned on',
        'Your email address was confirmed by Operator',
        'Your password was changed',
        'Your password was reset with a link',
      ]);
    await expectGoodViews(page);
    await page.getByRole('link', { name: 'A passkey was added to your account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.getByRole('link', { name: 'Inbox, 7 unread' }).waitFor();
  });

  test('says who asked, replied, rejected evidence and waits for an approval', async () => {
    const { company, ann, task, add } = await createInbox();
    const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const { framework } = company;
    const { uniqueId: requirement } = await ann.caller.requirement.create({
      framework,
      ref: 'A.5.1',
      title: 'Policies',
    });
    const { uniqueId: other } = await ann.caller.task.create({ framework, title: 'Backup' });
    await add('question', 'vendor', vendor, { actor: cleo.user.uniqueId });
    await add('answer', 'requirement', requirement, { actor: cleo.user.uniqueId });
    await add('rejected', 'task', task, { actor: cleo.user.uniqueId });
    await add('approve', 'task', other, { actor: cleo.user.uniqueId });
    const page = await openAs(ann, '/inbox');
    await expect
      .poll(() => page.locator('.inbox-sentence').allInnerTexts())
      .toEqual([
        'Cleo asks you to approve Backup',
        'Cleo rejected evidence of Review',
        'Cleo replied to your question about A.5.1 Policies',
        'Cleo asked a question about Cloud Ltd',
      ]);
    await page.getByRole('link', { name: 'A.5.1 Policies' }).click();
    await page.waitForURL(`**/requirements/${requirement}`);
  });

  test('of many reminders is counted, and names the kinds', async () => {
    const { company, ann, task, add } = await createInbox();
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const other = await ann.caller.task.create({ framework: company.framework, title: 'Backup' });
    await add('review', 'task', task);
    await add('review', 'task', other.uniqueId);
    await add('review', 'vendor', vendor);
    const page = await openAs(ann, '/inbox');
    await page.getByText('3 vendors and tasks are due for a review').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.inbox-sentence a').allInnerTexts())
      .toEqual(['Cloud Ltd', 'Backup', 'Review']);
  });

  test('is one of 1,100 that "Mark all as read" marks in one call', async () => {
    const { ann, task, add } = await createInbox();
    await add('status', 'task', task, { actor: ann.user.uniqueId, count: 1100 });
    const page = await openAs(ann, '/inbox?unread=true');
    const link = page.getByRole('navigation', { name: 'Main' });
    await link.getByRole('link', { name: 'Inbox, 1,100 unread' }).waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('All items were marked as read.').waitFor();
    await page.getByText('You have read everything.').waitFor();
    await link.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await link.getByRole('link', { name: 'Inbox, 1,100 unread' }).waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('All items were marked as read.').waitFor();
    const [number, list] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await page.route('**/trpc/*inbox.list**', async (route) => {
      await (route.request().url().includes('inbox.count') ? number : list).promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(() => ann.caller.inbox.count()).toEqual({ unread: 0 });
    const sentences = page.getByText('Ann changed the status of Review');
    await page.getByRole('button', { name: 'Show all items' }).click();
    await sentences.waitFor(); // the items that were loaded before
    const response = page.waitForResponse('**/trpc/*inbox.count**');
    number.resolve(undefined);
    await response;
    await page.waitForTimeout(100);
    expect(await page.locator('[data-unread]').count()).toBe(0);
    list.resolve(undefined);
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await sentences.waitFor();
    expect(await page.locator('[data-unread]').count()).toBe(0);
  });
});
