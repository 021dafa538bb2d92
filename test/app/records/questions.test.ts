import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** Writes into the field of a comment or a reply. */
async function write(page: Page, label: 'Comment' | 'Reply', text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.getByRole('group', { name: 'Formatting' }).last().waitFor();
  await page.keyboard.type(text);
}

const entries = (page: Page) => page.locator('.timeline > li');

describeInBrowser('questions', () => {
  test('are asked by an auditor, replied to by the assignee below them, resolved and reopened', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({
      framework: company.framework,
      title: 'Review access rights',
      assigneeId: ann.user.uniqueId,
    });
    const path = `/tasks/${taskUniqueId}`;
    const stored = async () => (await ann.caller.comment.list({ taskUniqueId })).items;
    const ofCleo = await openAs(cleo, path);
    // Who changes nothing else sees text, and writes comments.
    await write(ofCleo, 'Comment', 'Who approved this?');
    await ofCleo.getByRole('button', { name: 'Ask a question' }).click();
    await entries(ofCleo).filter({ hasText: 'Who approved this?' }).getByText('Open question').waitFor();
    expect(await stored()).toMatchObject([{ kind: 'question', replyTo: null, resolved: null }]);

    const page = await openAs(ann, path);
    const question = entries(page).filter({ hasText: 'Who approved this?' });
    await question.getByText('Cleo asked').waitFor();
    await question.getByRole('button', { name: /^Reply/ }).click();
    await write(page, 'Reply', 'The head of IT.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await question.getByRole('list', { name: 'Replies' }).getByText('The head of IT.').waitFor();
    // The reply is there once.
    expect(await page.getByText('The head of IT.').count()).toBe(1);
    expect((await stored())[1]).toMatchObject({ kind: 'comment', replyTo: (await stored())[0]?.uniqueId });
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await question.getByRole('button', { name: /^Resolve/ }).click();
    await question.getByText('Resolved', { exact: true }).waitFor();
    await question.getByText(/^by Ann, /).waitFor();
    await page.getByText('resolved a question').waitFor();
    expect((await stored())[0]).toMatchObject({ resolved: { by: { name: 'Ann' } } });
    await question.getByRole('button', { name: /^Reopen/ }).click();
    await question.getByText('Open question').waitFor();
    await page.getByText('Comments only').click();
    await page.getByText('resolved a question').waitFor({ state: 'detached' });
    await question.getByRole('list', { name: 'Replies' }).getByText('The head of IT.').waitFor();

    // An auditor changes and deletes what they wrote, and nothing of others.
    await ofCleo.reload();
    const own = entries(ofCleo).filter({ hasText: 'Who approved this?' });
    await own.getByText('The head of IT.').waitFor();
    expect(await own.getByRole('button', { name: /^Actions/ }).count()).toBe(1);
    await own.getByRole('button', { name: /^Actions/ }).click();
    await ofCleo.getByRole('menuitem', { name: 'Delete' }).click();
    await ofCleo.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(async () => (await stored()).map(({ text }) => text)).toEqual(['The head of IT.']);
    await entries(ofCleo).filter({ hasText: 'The head of IT.' }).waitFor();
  });

  test('are listed on a page with their state and author, and the open ones on the overview of an admin', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
    const { framework } = company;
    const task = await ann.caller.task.create({ framework, title: 'Review access rights' });
    const vendor = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const requirement = await ann.caller.requirement.create({ framework, ref: 'A.5.1', title: 'Policies' });
    const ask = (text: string, on: { taskUniqueId: string } | { vendor: string } | { requirement: string }) =>
      cleo.caller.comment.create({ ...on, text, kind: 'question' });
    const resolved = await ask('Where is the contract?', { vendor: vendor.uniqueId });
    await ask('Who approved this?', { taskUniqueId: task.uniqueId });
    await cleo.caller.comment.resolve({ comment: resolved.uniqueId });
    await ann.caller.comment.create({ requirement: requirement.uniqueId, text: 'Is it met?', kind: 'question' });
    await ann.caller.comment.create({ taskUniqueId: task.uniqueId, text: 'No question.' });

    const page = await openAs(cleo, '/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Questions' }).click();
    await page.getByText('2 questions', { exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Questions' }).locator('tbody tr');
    await expect
      .poll(() => rows.allInnerTexts())
      .toMatchObject([
        expect.stringMatching(/A\.5\.1 Policies[\s\S]*Is it met\?/),
        expect.stringMatching(/Review access/),
      ]);
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await choose(page, 'Asked by', 'Me');
    await page.getByText('1 question', { exact: true }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ resolved: 'false', author: 'me' });
    await page.getByRole('button', { name: 'Remove filter State: Open' }).click();
    await rows.filter({ hasText: 'Cloud Ltd' }).getByText('Resolved').waitFor();
    await rows
      .filter({ hasText: 'Who approved this?' })
      .getByRole('button', { name: /^Resolve/ })
      .click();
    await rows
      .filter({ hasText: 'Who approved this?' })
      .getByRole('button', { name: /^Reopen/ })
      .waitFor();
    await page.getByRole('link', { name: 'Cloud Ltd' }).click();
    await page.getByText('Where is the contract?').waitFor();

    const ofAnn = await openAs(ann, '/');
    const board = ofAnn.getByRole('region', { name: 'Open questions' });
    await board.getByText('Ann asked about A.5.1 Policies').waitFor();
    await board.getByRole('link', { name: '1 open' }).click();
    await ofAnn.getByText('Is it met?').waitFor();
  });
});
