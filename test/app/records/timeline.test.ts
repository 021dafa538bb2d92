import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { PASSWORD, newEmail, passwordHash } from '../../support/tenants/sign-in.ts';

/** A task with two members, the first of whom can open its page. */
async function createTask() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee', email: newEmail(), password: passwordHash });
  const ben = await createMember(company, { name: 'Ben Berg', role: 'editor' });
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: company.framework, title: 'Review' });
  const path = `/tasks/${taskUniqueId}`;
  const comments = async () => (await ann.caller.comment.list({ taskUniqueId })).items;
  return { company, ann, ben, taskUniqueId, path, comments };
}

const textBox = (page: Page) => page.getByRole('textbox', { name: 'Comment' });
/** The written text. */
const textOf = async (page: Page) => (await textBox(page).innerText()).trim();
const sendButton = (page: Page) => page.getByRole('button', { name: 'Comment', exact: true });
const entries = (page: Page) => page.locator('.timeline > li');

/** Writes a text and keeps it unsent. */
async function write(page: Page, text: string): Promise<void> {
  await textBox(page).click();
  await page.getByRole('group', { name: 'Formatting' }).last().waitFor();
  await page.keyboard.type(text);
}

const openActions = (page: Page, text: string) =>
  entries(page)
    .filter({ hasText: text })
    .getByRole('button', { name: /^Actions/ })
    .click();

describeInBrowser('the timeline of a task or vendor', () => {
  test('takes a comment: @ offers the members who may see the task, the keyboard chooses one, Ctrl+Enter sends', async () => {
    const { company, ann, ben, path, comments } = await createTask();
    const other = await ann.caller.management.framework.create({ name: 'SOC 2' });
    await createMember(company, { name: 'Bea Borg', role: 'editor', frameworks: [other.id] });
    await createMember(company, { name: 'Bert Brown', role: 'auditor' });
    const left = await createMember(company, { name: 'Beth Black', role: 'editor' });
    await ann.caller.management.member.end({ uniqueId: left.user.uniqueId });
    const page = await openAs(ann, path);
    expect(await sendButton(page).isDisabled()).toBe(true);
    await write(page, 'Please look, @b');
    const options = page.getByRole('listbox', { name: 'Members' }).getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    expect((await options.allInnerTexts()).join(' ')).toMatch(/Ben Berg.*Bert Brown/s);
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and tell us.');
    await page.keyboard.press('Control+Enter');
    await entries(page).filter({ hasText: 'Please look, @Ben Berg and tell us.' }).waitFor();
    expect(await comments()).toMatchObject([
      { text: 'Please look, @Ben Berg and tell us.', mentions: [{ uniqueId: ben.user.uniqueId }] },
    ]);
    await expect.poll(() => textOf(page)).toBe('');
    // The next one can be typed at once.
    await page.keyboard.type('And @x is nobody.');
    await page.keyboard.press('Meta+Enter');
    await expect.poll(async () => (await comments()).length).toBe(2);
    expect((await comments())[1]).toMatchObject({ text: 'And @x is nobody.', mentions: [] });
  });

  test('keeps a draft over a reload and a failed send, and sends it once', async () => {
    const { ann, path, comments } = await createTask();
    const page = await openAs(ann, path);
    await write(page, 'The backup works.');
    await page.reload();
    await expect.poll(() => textOf(page)).toBe('The backup works.');
    expectConsole(/ERR_FAILED/);
    // The response of the first attempt is lost, and the comment is there.
    await page.route('**/trpc/comment.create*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await sendButton(page).click();
    const alert = page.getByRole('alert').filter({ hasText: 'The comment was not sent' });
    await alert.getByText('The server cannot be reached.').waitFor();
    expect(await textOf(page)).toBe('The backup works.');
    await expectAccessible(page);
    expect(await comments()).toHaveLength(1);
    await page.unroute('**/trpc/comment.create*');
    await page.reload();
    await sendButton(page).click();
    await entries(page).filter({ hasText: 'The backup works.' }).waitFor();
    expect(await comments()).toHaveLength(1);
    await expect.poll(() => textOf(page)).toBe('');
    await page.reload();
    await entries(page).filter({ hasText: 'The backup works.' }).waitFor();
    expect(await textOf(page)).toBe('');
  });

  test('sends a comment after the sign-in if the session ended', async () => {
    const { ann, path, comments } = await createTask();
    const page = await openAs(ann, path);
    await write(page, 'Still here.');
    await sql('delete from web_session where unique_id = $1', ann.webSession.uniqueId);
    expectConsole(/401/);
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(ann.email);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await entries(page).filter({ hasText: 'Still here.' }).waitFor();
    expect(await comments()).toHaveLength(1);
  });

  test('has comments and changes in their order, each comment once, or the comments only', async () => {
    const { ann, ben, taskUniqueId, path } = await createTask();
    const { uniqueId: first } = await ben.caller.comment.create({ taskUniqueId, text: '<p>Two are <b>late</b>.</p>' });
    await ann.caller.task.update({ taskUniqueId, status: 'in_progress' });
    await ben.caller.comment.update({ comment: first, text: '<p>Three are <b>late</b>.</p>' });
    const { uniqueId: second } = await ben.caller.comment.create({ taskUniqueId, text: 'Wrong task.' });
    await ann.caller.comment.delete({ comment: second });
    await ann.caller.task.update({ taskUniqueId, assigneeId: ben.user.uniqueId });
    const page = await openAs(ann, path);
    await page.getByText('created this task').waitFor();
    const texts = (await entries(page).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts).toHaveLength(5);
    expect(texts[0]).toMatch(/^Ann Lee set the assignee to Ben Berg/);
    expect(texts[1]).toMatch(/^Ann Lee deleted a comment/);
    expect(texts[2]).toMatch(/^Ann Lee changed the status from Todo to In progress/);
    expect(texts[3]).toMatch(/Ben Berg .*, edited Three are late\.$/);
    expect(texts[4]).toMatch(/^Ann Lee created this task/);
    expect(await entries(page).locator('b').filter({ hasText: 'late' }).count()).toBe(1);
    await page.getByRole('switch', { name: 'Comments only' }).click();
    await expect.poll(() => entries(page).count()).toBe(1);
    await page.reload();
    await entries(page).filter({ hasText: 'Three are late.' }).waitFor();
    expect(await entries(page).count()).toBe(1);
    await expectGoodViews(page);
  });

  test('is edited where it is by the author of a comment, and deleted with Undo by the author or an admin', async () => {
    const { ann, ben, taskUniqueId, path, comments } = await createTask();
    await ann.caller.comment.create({ taskUniqueId, text: 'By Ann.' });
    const mentions = [ann.user.uniqueId];
    await ben.caller.comment.create({ taskUniqueId, text: '<p>By <b>Ben</b> for @Ann Lee.</p>', mentions });
    const page = await openAs(ben, path);
    await openActions(page, 'By Ben');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = entries(page).filter({ has: page.getByRole('button', { name: 'Save' }) });
    await form.getByRole('group', { name: 'Formatting' }).waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Today.');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await entries(page).filter({ hasText: 'By Ben for @Ann Lee. Today.' }).filter({ hasText: 'edited' }).waitFor();
    expect((await comments())[1]).toMatchObject({
      text: '<p>By <b>Ben</b> for @Ann Lee. Today.</p>',
      mentions: [{ uniqueId: ann.user.uniqueId }],
      version: 2,
    });
    expect(await page.getByRole('button', { name: /^Actions for what/ }).count()).toBe(1);

    await page.reload();
    const admin = await openAs(ann, path);
    await openActions(admin, 'By Ben');
    await admin.getByRole('menuitem').first().waitFor();
    expect(await admin.getByRole('menuitem').allInnerTexts()).toEqual(['Delete']);
    await admin.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => entries(admin).filter({ hasText: 'By Ben' }).count()).toBe(0);
    await admin.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await openActions(admin, 'By Ben');
    await admin.getByRole('menuitem', { name: 'Delete' }).click();
    await admin.getByRole('button', { name: 'Close the message' }).click();
    await admin.getByText('Ann Lee deleted a comment').waitFor();
    expect(await comments()).toMatchObject([{ text: 'By Ann.' }]);
  });

  test('says why a comment is not accepted, and keeps it', async () => {
    const { ann, ben, path } = await createTask();
    const page = await openAs(ann, path);
    await write(page, 'For @ben');
    await page.getByRole('option', { name: 'Ben Berg' }).click();
    await ann.caller.management.member.end({ uniqueId: ben.user.uniqueId });
    expectConsole(/422/);
    await sendButton(page).click();
    await page.getByRole('alert').getByText('Mentions: expected active members').waitFor();
    expect(await textOf(page)).toBe('For @Ben Berg');
  });

  test('takes comments of an auditor, who changes none of others', async () => {
    const { company, ann, taskUniqueId, path } = await createTask();
    await ann.caller.comment.create({ taskUniqueId, text: 'By Ann.' });
    const page = await openAs(await createMember(company, { role: 'auditor' }), path);
    await entries(page).filter({ hasText: 'By Ann.' }).waitFor();
    expect(await textBox(page).count()).toBe(1);
    expect(await page.getByRole('button', { name: /Actions|Assign to me/ }).count()).toBe(0);
  });

  test('loads the older comments of a vendor page by page, and takes new ones', async () => {
    const { ann } = await createTask();
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    for (let number = 1; number <= 120; number++)
      await ann.caller.comment.create({ vendor, text: `Number ${number}.` });
    const page = await openAs(ann, `/vendors/${vendor}`);
    await entries(page).filter({ hasText: 'Number 120.' }).waitFor();
    const more = page.getByRole('button', { name: 'Load more' });
    while ((await more.count()) > 0) {
      const before = await entries(page).count();
      await more.click();
      await expect.poll(() => entries(page).count()).toBeGreaterThan(before);
    }
    expect(await entries(page).count()).toBe(121);
    await write(page, 'Contract is signed.');
    await sendButton(page).click();
    await entries(page).first().getByText('Contract is signed.').waitFor();
    expect(await entries(page).count()).toBe(122);
  });
});
