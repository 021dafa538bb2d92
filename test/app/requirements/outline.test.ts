import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { createOutline, idOf } from '../../support/tenants/requirements.ts';

/** A member who opened the outline of a framework. */
async function openOutline(size = { headings: 2, each: 3 }, role: 'admin' | 'editor' | 'auditor' = 'admin') {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ids = await createOutline(company, ann, size);
  const reader = role === 'admin' ? ann : await createMember(company, { name: 'Bea', role });
  const path = `/frameworks/${company.framework}`;
  return { company, ann, ids, path, open: (search = '') => openAs(reader, path + search) };
}

const refs = async (page: Page) => (await page.locator('.outline-ref').allTextContents()).map((ref) => ref.trim());
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

describeInBrowser('the outline of a framework', () => {
  test('folds and unfolds with the mouse and the arrow keys, and keeps what is folded for "Back"', async () => {
    const page = await (await openOutline()).open();
    await page.getByText('8 requirements').waitFor();
    expect(await refs(page)).toEqual(['A.5', 'A.5.1', 'A.5.2', 'A.5.3', 'A.6', 'A.6.1', 'A.6.2', 'A.6.3']);
    await page.getByRole('button', { name: 'Requirements below A.5' }).click();
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.6', 'A.6.1', 'A.6.2', 'A.6.3']);

    await page.locator('main').press('j');
    await page.keyboard.press('j');
    expect(await page.locator(':focus').textContent()).toContain('A.6');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.6']);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.getByRole('link', { name: 'Back to ISO 27001' }).click();
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.6']);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await expect.poll(async () => (await refs(page)).length).toBe(8);
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.6']);
  });

  test('filters by text, status, owner and work, with the headings of what matches, in the URL', async () => {
    const { company, ann, ids, open } = await openOutline();
    const requirement = idOf(ids, 'A.6.2');
    await ann.caller.requirement.update({ requirement, ownerId: ann.user.uniqueId });
    await ann.caller.requirement.assess({ requirement, result: 'partly_met' });
    await ann.caller.task.create({
      framework: company.framework,
      title: 'Review access rights',
      requirements: [requirement],
      dueDate: '2026-01-05',
    });
    const page = await open('?status=partly_met');
    await page.getByText('1 requirement', { exact: true }).waitFor();
    expect(await refs(page)).toEqual(['A.6', 'A.6.2']);
    expect(await row(page, 'A.6.2 Policy 6.2').innerText()).toMatch(/Partly met[^]*Ann[^]*1 overdue/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await choose(page, 'Work', 'Overdue tasks');
    await expect.poll(() => refs(page)).toEqual(['A.6', 'A.6.2']);
    expect(new URL(page.url()).search).toBe('?work=overdue');
    await page.getByRole('button', { name: 'Remove filter Work: Overdue tasks' }).click();
    await choose(page, 'Owner', 'Me');
    await expect.poll(() => refs(page)).toEqual(['A.6', 'A.6.2']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('a.5.3');
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.5.3']);
    await page.keyboard.type('x');
    await page.getByText('No requirements match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'A.6.2 Policy 6.2').getByRole('link', { name: 'Tasks of A.6.2: 1 overdue' }).click();
    await page.getByRole('button', { name: 'Remove filter Requirement: A.6.2 Policy 6.2' }).waitFor();
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
  });

  test('creates a requirement below another one, and assesses and gives several to a member', async () => {
    const { company, ann, ids, open } = await openOutline();
    const page = await open();
    await page.getByText('8 requirements').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New requirement' });
    await dialog.getByLabel('Ref').fill('a.5.1');
    await dialog.getByLabel('Title').fill('Threat intelligence');
    await choose(page, 'Parent', 'A.5 Controls 5');
    expectConsole(/409/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('A.5.1 is already used by another requirement of the framework.').waitFor();
    await dialog.getByLabel('Ref').fill('A.5.10');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The requirement was created.').waitFor();
    await expect
      .poll(() => refs(page))
      .toEqual(['A.5', 'A.5.1', 'A.5.2', 'A.5.3', 'A.5.10', 'A.6', 'A.6.1', 'A.6.2', 'A.6.3']);

    for (const ref of ['A.5', 'A.5.1', 'A.5.2'])
      await page.getByRole('checkbox', { name: new RegExp(`^Select ${ref} `) }).click();
    await page.getByRole('button', { name: 'Assess' }).click();
    const assessing = page.getByRole('dialog', { name: 'Assess 2 requirements' });
    await assessing.getByRole('button', { name: 'Save assessment' }).click();
    await assessing.getByText('Choose a result').waitFor();
    await assessing.getByRole('radio', { name: 'Not met' }).click();
    await assessing.getByLabel('Note').fill('Nobody has begun.');
    await assessing.getByRole('button', { name: 'Save assessment' }).click();
    await page.getByText('2 requirements assessed.').waitFor();
    await page.getByRole('button', { name: 'Set owner' }).click();
    await page.getByRole('menuitem', { name: 'Me' }).click();
    await page.getByText('3 requirements changed.').waitFor();
    const stored = async (ref: string) => ann.caller.requirement.get({ requirement: idOf(ids, ref) });
    expect(await stored('A.5.2')).toMatchObject({
      owner: { name: 'Ann' },
      assessment: { result: 'not_met', note: 'Nobody has begun.' },
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 3 requirements was undone.').waitFor();
    expect(await stored('A.5.2')).toMatchObject({ owner: null, status: 'not_met' });
    expect(await stored('A.5.3')).toMatchObject({ status: 'not_assessed' });
    const { items } = await ann.caller.requirement.list({ framework: company.framework, status: 'not_met' });
    expect(items.map(({ ref }) => ref)).toEqual(['A.5.1', 'A.5.2']);
  });

  test.each(['editor', 'auditor'] as const)('shows an %s only what they may do', async (role) => {
    const page = await (await openOutline({ headings: 1, each: 2 }, role)).open();
    await page.getByText('3 requirements').waitFor();
    const canWrite = role === 'editor';
    expect(await page.getByRole('button', { name: 'New requirement' }).count()).toBe(canWrite ? 1 : 0);
    expect(await page.getByRole('button', { name: 'Edit framework' }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(canWrite ? 4 : 0);
    if (!canWrite) return;
    await page.getByRole('checkbox', { name: 'Select A.5.1 Policy 5.1' }).click();
    await page.getByRole('button', { name: 'Set owner' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  test('of 400 requirements renders those near the window, and folds and filters all of them at once', async () => {
    const page = await (await openOutline({ headings: 4, each: 99 })).open();
    await page.getByText('400 requirements').waitFor();
    await expect.poll(async () => (await refs(page)).length).toBeLessThan(100);
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => refs(page)).toEqual(['A.5', 'A.6', 'A.7', 'A.8']);
    await page.getByLabel('Search requirements').fill('8.99');
    await expect.poll(() => refs(page)).toEqual(['A.8', 'A.8.99']);
  });

  test('is accessible in every view', async () => {
    const page = await (await openOutline()).open();
    await page.getByText('8 requirements').waitFor();
    await expectGoodViews(page);
  });
});
