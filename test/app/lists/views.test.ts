import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { applicationOrigin, choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** A company with tasks of two frameworks, some of them given to its admin Ann and its editor Bob Stone. */
async function companyWithOwners() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee' });
  const bob = await createMember(company, { name: 'Bob Stone', role: 'editor' });
  const soc = await ann.caller.management.framework.create({ name: 'SOC 2' });
  const [annId, bobId] = [ann.uniqueId, bob.uniqueId];
  const rows = [
    { framework: company.framework, title: 'Review access rights', dueDate: dateIn(-3), assigneeId: annId },
    { framework: company.framework, title: 'Test the restore', dueDate: dateIn(3), assigneeId: bobId },
    { framework: soc.id, title: 'Encrypt laptops', dueDate: dateIn(4), assigneeId: annId },
    { framework: soc.id, title: 'Sign the contract' },
  ];
  for (const row of rows) await ann.caller.task.create(row);
  return { company, ann, bob, soc, annId, bobId };
}

const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const main = (page: Page) => page.locator('main');
const navigation = (page: Page) => page.getByRole('navigation');
/** Titles of the rows, in their order. */
const titles = (page: Page) =>
  page.getByRole('table', { name: 'Tasks' }).locator('td[data-column=title]').allInnerTexts();

describeInBrowser('tasks with owners', () => {
  test('are those of all frameworks at first, and filters by framework, assignee and due date are in the URL', async () => {
    const { company, ann, bobId, soc } = await companyWithOwners();
    const page = await openAs(ann, '/tasks');
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByPlaceholder('All frameworks').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Test the restore' });
    expect(await row.innerText()).toMatch(/BS\s*Bob Stone/);
    expect(await row.innerText()).toContain('ISO 27001');

    await page.getByRole('combobox', { name: 'Assignee' }).click();
    await page.getByRole('option', { name: 'Bob Stone' }).waitFor();
    const names = await page.getByRole('option').allInnerTexts();
    expect(names.map((name) => name.split('\n').at(-1))).toEqual(['Me', 'Nobody', 'Ann Lee', 'Bob Stone']);
    await page.getByRole('option', { name: 'Bob Stone' }).click();
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(search(page)).toEqual({ assignee: bobId });
    await page.getByRole('button', { name: 'Remove filter Assignee: Bob Stone' }).click();
    await choose(page, 'Assignee', 'Nobody');
    await page.getByRole('link', { name: 'Sign the contract' }).waitFor();
    await expect.poll(() => titles(page)).toEqual(['Sign the contract']);
    await page.getByRole('button', { name: 'Remove filter Assignee: Nobody' }).click();

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Due' }).click();
    await page.getByRole('option', { name: 'This week' }).click();
    await page.getByText('2 tasks', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'Framework', 'SOC 2');
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(search(page)).toEqual({ due: 'week', framework: String(soc.id) });
    expect(await page.getByRole('columnheader', { name: 'Framework' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove filter Framework: SOC 2' }).click();
    await page.getByRole('button', { name: 'Remove filter Due: This week' }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();

    await page.goto(`${applicationOrigin()}/tasks?framework=${company.framework},${soc.id}&assignee=me,none`);
    await page.getByText('3 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Framework: ISO 27001, SOC 2' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Assignee: Me, Nobody' }).waitFor();
  });

  test('are given to a member together in one batch, with one message, and with Undo', async () => {
    const { ann, annId, bobId } = await companyWithOwners();
    const owners = async () =>
      (await ann.caller.task.listAll({ limit: 10, sort: 'createdAt' })).items?.map(
        ({ assignee }) => assignee?.uniqueId ?? null,
      );
    const page = await openAs(ann, '/tasks');
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByLabel('Select all rows').check();
    const batches: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('task.batch')) batches.push(request.url());
    });
    await page.getByRole('button', { name: 'Set assignee' }).click();
    await page.getByRole('menuitem', { name: 'Bob Stone' }).click();
    await page.getByText('4 tasks changed.').waitFor();
    expect(batches).toHaveLength(1);
    expect(await owners()).toEqual([bobId, bobId, bobId, bobId]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 4 tasks was undone.').waitFor();
    expect(await owners()).toEqual([annId, bobId, annId, null]);
  });

  test('are given to a member who may see their frameworks only', async () => {
    const { company, ann } = await companyWithOwners();
    await createMember(company, { name: 'Cleo', role: 'editor', frameworks: [company.framework] });
    const page = await openAs(ann, '/tasks');
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByLabel('Select Test the restore').check();
    await page.getByRole('button', { name: 'Set assignee' }).click();
    await page.getByRole('menuitem', { name: 'Cleo' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Select Encrypt laptops').check();
    await page.getByRole('button', { name: 'Set assignee' }).click();
    await page.getByRole('menuitem', { name: 'Bob Stone' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Cleo' }).count()).toBe(0);
  });

  test('are given to a member by the menu of a card, on a board of all frameworks', async () => {
    const { ann, annId } = await companyWithOwners();
    const page = await openAs(ann, '/tasks?view=board');
    const card = page.getByRole('listitem').filter({ hasText: 'Sign the contract' });
    expect(await card.innerText()).toContain('SOC 2');
    await card.getByRole('button', { name: 'Move or assign “Sign the contract”' }).click();
    await expectAccessible(page);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await card.getByText('Ann Lee').waitFor();
    await page.getByText('1 task changed.').waitFor();
    const { items } = await ann.caller.task.listAll({ limit: 10, q: 'contract' });
    expect(items).toMatchObject([{ assignee: { uniqueId: annId } }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await card.getByText('Ann Lee').waitFor({ state: 'detached' });
  });

  test('are created with a framework that the person chooses, and with an assignee', async () => {
    const { ann, soc, bobId } = await companyWithOwners();
    const page = await openAs(ann, '/tasks');
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New task' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Title').fill('Train new employees');
    await choose(page, 'Assignee', 'Bob Stone');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Choose a framework.').waitFor();
    await choose(page, 'Framework', 'SOC 2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('5 tasks', { exact: true }).waitFor();
    expect(search(page)).toEqual({});
    const { items } = await ann.caller.task.listAll({ limit: 1 });
    expect(items).toMatchObject([{ framework: soc.id, assignee: { uniqueId: bobId } }]);
  });
});

describeInBrowser('a view', () => {
  test('is one of the names that each page loads, and its query is loaded when it is opened', async () => {
    const { ann } = await companyWithOwners();
    const { uniqueId } = await ann.caller.view.create({ name: 'Late', page: 'tasks', query: 'due=overdue' });
    const page = await openAs(ann, '/vendors');
    await navigation(page).getByRole('link', { name: 'Late' }).waitFor();
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    await page.reload();
    await navigation(page).getByRole('link', { name: 'Late' }).waitFor();
    expect(calls.filter((url) => /view\.names/.test(url))).toHaveLength(1);
    expect(calls.filter((url) => /view\.(list|get)/.test(url))).toEqual([]);
    await page.goto(`${applicationOrigin()}/views/${uniqueId}`);
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(search(page)).toEqual({ due: 'overdue', saved: uniqueId });
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Vendors' }).waitFor();
    expectConsole(/404/);
    await page.goto(`${applicationOrigin()}/views/${ann.uniqueId}`);
    await page.getByText('Page not found').waitFor();
  });

  test('"My tasks" is in the navigation of everybody and shows each person their own open tasks, the next one first', async () => {
    const { ann, bob } = await companyWithOwners();
    const page = await openAs(ann, '/');
    await navigation(page).getByRole('link', { name: 'My tasks' }).click();
    await page.getByRole('heading', { level: 1, name: 'My tasks' }).waitFor();
    await page.getByText('2 tasks', { exact: true }).waitFor();
    expect(await titles(page)).toEqual(['Review access rights', 'Encrypt laptops']);
    const { href } = new URL(page.url());
    const other = await openAs(bob, href.replace(applicationOrigin(), ''));
    await other.getByText('1 task', { exact: true }).waitFor();
    expect(await titles(other)).toEqual(['Test the restore']);
    await navigation(other).getByRole('link', { name: 'Tasks', exact: true }).click();
    await other.getByText('4 tasks', { exact: true }).waitFor();
  });

  test('keeps filters, order, columns and the board, and is shared in the navigation of others', async () => {
    const { ann, bob, soc } = await companyWithOwners();
    const page = await openAs(ann, `/tasks?framework=${soc.id}&sort=dueDate`);
    await page.getByText('2 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Priority' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name').fill('Next of SOC 2');
    await page.getByLabel('Shared').check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Next of SOC 2' }).waitFor();
    await expectGoodViews(page);

    const other = await openAs(bob, '/');
    const entry = navigation(other).getByRole('listitem').filter({ hasText: 'Next of SOC 2' });
    expect(await entry.innerText()).toMatch(/shared$/);
    await entry.getByRole('link').click();
    await other.getByText('2 tasks', { exact: true }).waitFor();
    expect(search(other)).toMatchObject({ framework: String(soc.id), sort: 'dueDate' });
    await entry.locator('a[aria-current=page]').waitFor();
    expect(await titles(other)).toEqual(['Encrypt laptops', 'Sign the contract']);
    expect(await other.getByRole('columnheader', { name: 'Priority' }).count()).toBe(0);
    expect(await main(other).getByRole('button', { name: 'Edit view' }).count()).toBe(0);

    await other.getByText('Board', { exact: true }).click();
    await other.getByRole('button', { name: 'Save view' }).click();
    await other.getByLabel('Name').fill('My board');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('heading', { level: 1, name: 'My board' }).waitFor();
    await other.getByRole('region', { name: 'In progress' }).waitFor();
    await page.reload();
    await navigation(page).getByRole('link', { name: 'Next of SOC 2' }).waitFor();
    expect(await navigation(page).getByRole('link', { name: 'My board' }).count()).toBe(0);
  });

  test('is updated, renamed and deleted by its owner, each with Undo', async () => {
    const { ann } = await companyWithOwners();
    const views = async () => (await ann.caller.view.list()).map(({ name, query }) => ({ name, query }));
    await ann.caller.view.create({ name: 'Late', page: 'tasks', query: 'due=overdue' });
    const page = await openAs(ann, '/tasks');
    await navigation(page).getByRole('link', { name: 'Late' }).click();
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Update view' }).count()).toBe(0);
    await choose(page, 'Status', 'Todo');
    await page.getByRole('button', { name: 'Update view' }).click();
    await page.getByText('The view “Late” was changed.').waitFor();
    await page.getByRole('button', { name: 'Update view' }).waitFor({ state: 'detached' });
    expect(await views()).toEqual([
      { name: 'Late', query: expect.stringMatching(/^status=todo&due=overdue&columns=/) },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of the view “Late” was undone.').waitFor();
    expect(await views()).toEqual([{ name: 'Late', query: 'due=overdue' }]);

    await page.getByRole('button', { name: 'Edit view' }).click();
    await page.getByRole('menuitem', { name: 'Rename or share' }).click();
    await page.getByLabel('Name').fill('Overdue');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overdue' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { level: 1, name: 'Late' }).waitFor();

    const deletion = async () => {
      await page.getByRole('button', { name: 'Edit view' }).click();
      await page.getByRole('menuitem', { name: 'Delete view' }).click();
      await page.getByText('The view “Late” was deleted.').waitFor();
      await navigation(page).getByRole('link', { name: 'Late' }).waitFor({ state: 'detached' });
    };
    await deletion();
    await page.getByRole('button', { name: 'Undo' }).click();
    await navigation(page).getByRole('link', { name: 'Late' }).click();
    await page.getByRole('heading', { level: 1, name: 'Late' }).waitFor();
    await deletion();
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect.poll(views).toEqual([]);
  });

  test('of vendors and of the audit log stands below their links, and the command palette finds it', async () => {
    const { ann } = await companyWithOwners();
    await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const page = await openAs(ann, '/vendors?status=archived');
    const save = async (name: string) => {
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    };
    await save('Former vendors');
    await page.goto(`${applicationOrigin()}/audit-log?resourceType=vendor`);
    await save('Changes of vendors');
    const listOf = (label: string) =>
      navigation(page)
        .getByRole('list', { name: `Views of ${label}` })
        .getByRole('link');
    expect(await listOf('Vendors').allInnerTexts()).toEqual(['Reviews due', 'Overdue reviews', 'Former vendors']);
    expect(await listOf('Audit log').allInnerTexts()).toEqual(['Changes of vendors']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('former');
    await page.getByRole('option', { name: 'Former vendors' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Former vendors' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Status: Archived' }).waitFor();
  });

  test('is not saved above the limit of a member, which a sentence says', async () => {
    const { ann } = await companyWithOwners();
    for (let number = 1; number <= 200; number += 1)
      await ann.caller.view.create({ name: `View ${number}`, page: 'tasks', query: '' });
    const page = await openAs(ann, '/tasks');
    expectConsole(/422/);
    await page.getByRole('button', { name: '194 more views' }).click();
    expect(
      await navigation(page)
        .getByRole('link', { name: /^View / })
        .count(),
    ).toBe(200);
    await page.getByRole('button', { name: 'Show fewer views' }).click();
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name').fill('One more');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('a member has at most 200 views.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('One more');
  });
});
