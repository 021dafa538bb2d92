import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

describeInBrowser('work of four eyes', () => {
  test('has a reviewer and may need evidence, and the page says why a status was not saved', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const ben = await createMember(company, { name: 'Ben', role: 'editor' });
    await createMember(company, { name: 'Cleo', role: 'auditor' });
    const page = await openAs(ben, '/tasks');
    await page.getByText('0 tasks').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Title').fill('Review access rights');
    await dialog.getByLabel('Assignee').click();
    await page.getByRole('option', { name: 'Me' }).click();
    await dialog.getByLabel('Reviewer').click();
    // The assignee and auditors are not offered.
    expect(await page.getByRole('listbox').getByRole('option').allInnerTexts()).toEqual([
      'Nobody',
      expect.stringMatching(/Ann$/),
    ]);
    await page.getByRole('option', { name: 'Ann' }).click();
    await choose(page, 'Needs evidence', 'Yes');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Open it' }).click();
    const taskUniqueId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await expect
      .poll(() => ann.caller.task.get({ taskUniqueId }))
      .toMatchObject({
        reviewer: { name: 'Ann' },
        needsEvidence: true,
      });
    expectConsole(/409/);
    await choose(page, 'Status', 'Done');
    await page.getByRole('alert').filter({ hasText: 'Not saved. Only the reviewer may set it to done' }).waitFor();
    await expectAccessible(page);
    await choose(page, 'Status', 'In review');
    await choose(page, 'Reviewer', 'Nobody');
    await page
      .getByRole('alert')
      .filter({ hasText: 'Not saved. Only the reviewer or an admin may change or clear it.' })
      .waitFor();
    await page.getByLabel('Reviewer').press('Escape');

    const ofAnn = await openAs(ann, `/tasks/${taskUniqueId}`);
    await choose(ofAnn, 'Status', 'Done');
    await ofAnn.getByRole('alert').filter({ hasText: 'Not saved. Done needs evidence that is not rejected' }).waitFor();
    await ann.caller.evidence.link({ taskUniqueId, url: 'https://wiki.example.com/access', name: 'Policy' });
    await ofAnn.reload();
    await choose(ofAnn, 'Status', 'Done');
    await expect.poll(() => ann.caller.task.get({ taskUniqueId })).toMatchObject({ status: 'done' });
    await ofAnn.goto(new URL('/tasks', ofAnn.url()).href);
    await ofAnn.getByLabel('Select Review access rights').check();
    await ofAnn.getByRole('button', { name: 'Set reviewer' }).click();
    await ofAnn.getByRole('menuitem', { name: 'Nobody' }).click();
    await ofAnn.getByText('1 task changed.').waitFor();
    expect(await ann.caller.task.get({ taskUniqueId })).toMatchObject({ reviewer: null });
    await ofAnn.getByRole('button', { name: 'Undo' }).click();
    await ofAnn.getByText('The change of 1 task was undone.').waitFor();
    expect(await ann.caller.task.get({ taskUniqueId })).toMatchObject({ reviewer: { name: 'Ann' } });
  });

  test('is locked when it is closed, if an admin says so, and is reopened by an admin', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const ben = await createMember(company, { name: 'Ben', role: 'editor' });
    const task = await company.newTask({ title: 'Review access rights' });
    const taskUniqueId = task.uniqueId;
    await ben.caller.comment.create({ taskUniqueId, text: 'Done for all.' });
    await ann.caller.task.update({ taskUniqueId, status: 'done' });
    const page = await openAs(ann, '/settings');
    await page.getByLabel('Lock closed work').check();
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await ann.caller.management.settings.get()).toMatchObject({ lockClosed: true });

    const ofBen = await openAs(ben, `/tasks/${taskUniqueId}`);
    await ofBen.getByText('This task is closed, and closed work is locked.').waitFor();
    await ofBen.getByText('An admin can reopen it.').waitFor();
    const properties = ofBen.getByRole('region', { name: 'Properties' });
    expect(await properties.locator('input, select, textarea').count()).toBe(0);
    expect(await ofBen.getByRole('button', { name: /^(?:Delete|Reopen|Actions)/ }).count()).toBe(0);
    await ofBen.getByRole('button', { name: 'Add link' }).waitFor();
    await ofBen.getByRole('textbox', { name: 'Comment' }).click();
    await ofBen.getByRole('group', { name: 'Formatting' }).last().waitFor();
    await ofBen.keyboard.type('And filed.');
    await ofBen.getByRole('button', { name: 'Comment', exact: true }).click();
    await ofBen.locator('.timeline > li').filter({ hasText: 'And filed.' }).waitFor();
    await expectGoodViews(ofBen);

    await page.goto(new URL(`/tasks/${taskUniqueId}`, page.url()).href);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByLabel('Title').waitFor();
    expect(await ann.caller.task.get({ taskUniqueId })).toMatchObject({ status: 'in_progress' });
  });
});
