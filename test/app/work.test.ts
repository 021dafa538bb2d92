import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, describeInBrowser, openAs } from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const TASKS = 400;

/** A company with 400 tasks in three frameworks: a quarter of Ann, who is admin, a quarter of Ben, who is editor, and the rest of nobody. */
async function createWork() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee' });
  const ben = await createMember(company, { name: 'Ben Berg', role: 'editor' });
  const others = await Promise.all(['SOC 2', 'NIS 2'].map((name) => ann.caller.management.framework.create({ name })));
  const frameworks = [company.framework, ...others.map(({ id }) => id)];
  const owners = [ann.user.uniqueId, ben.user.uniqueId, null, null];
  for (let first = 0; first < TASKS; first += 100) {
    await ann.caller.task.batch({
      items: Array.from({ length: 100 }, (_, index) => ({
        op: 'create' as const,
        framework: frameworks[(first + index) % 3] ?? 0,
        body: { title: `Task ${first + index}`, assigneeId: owners[(first + index) % 4] ?? null },
      })),
    });
  }
  const ownedBy = async (assignee: string) => (await ann.caller.task.listAll({ assignee, status: 'open' })).total;
  return { ann, ben, ownedBy };
}

const navigation = (page: Page) => page.getByRole('navigation');
const showsTasks = (page: Page, count: number) => page.getByText(`${count} tasks`, { exact: true }).waitFor();

describeInBrowser('a company of 400 tasks in three frameworks', () => {
  test('is worked with from “My tasks”: assign, comment, mention, filter, save the view, share it, hand over', async () => {
    const { ann, ben, ownedBy } = await createWork();
    const page = await openAs(ann, '/');
    await navigation(page).getByRole('link', { name: 'My tasks' }).click();
    await page.getByRole('heading', { level: 1, name: 'My tasks' }).waitFor();
    await showsTasks(page, 100);

    // Assign: a task of nobody.
    await page.getByRole('button', { name: 'Remove filter Assignee: Me' }).click();
    await choose(page, 'Assignee', 'Nobody');
    await showsTasks(page, 200);
    await page
      .getByRole('table', { name: 'Tasks' })
      .getByRole('link', { name: /^Task / })
      .first()
      .click();
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await expect.poll(() => ownedBy(ann.user.uniqueId)).toBe(101);

    // Comment, and mention a colleague.
    await page.getByRole('textbox', { name: 'Comment' }).click();
    await page.getByRole('group', { name: 'Formatting' }).last().waitFor();
    await page.keyboard.type('Who knows this? @ben');
    await page
      .getByRole('listbox', { name: 'Members' })
      .getByRole('option', { name: /Ben Berg/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await page.locator('.timeline > li').filter({ hasText: 'Who knows this? @Ben Berg' }).waitFor();
    const taskUniqueId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect((await ann.caller.comment.list({ taskUniqueId })).items).toMatchObject([
      { mentions: [{ uniqueId: ben.user.uniqueId }] },
    ]);

    // Filter, save and share the view.
    await navigation(page).getByRole('link', { name: 'My tasks' }).click();
    await showsTasks(page, 101);
    await choose(page, 'Framework', 'SOC 2');
    const { total } = await ann.caller.task.listAll({
      assignee: ann.user.uniqueId,
      status: 'open',
      framework: await frameworkInUrl(page),
    });
    expect(total).toBeGreaterThan(30);
    await showsTasks(page, total);
    await page.getByRole('button', { name: 'Save view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('SOC 2 of mine');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'SOC 2 of mine' }).waitFor();
    const others = await openAs(ben, '/');
    await navigation(others).getByRole('link', { name: 'SOC 2 of mine' }).click();
    const bens = await ben.caller.task.listAll({
      assignee: ben.user.uniqueId,
      status: 'open',
      framework: await frameworkInUrl(others),
    });
    await showsTasks(others, bens.total);

    // Hand over everything.
    await navigation(page).getByRole('link', { name: 'My tasks' }).click();
    await showsTasks(page, 101);
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Select all 101' }).click();
    await page.getByRole('button', { name: 'Set assignee' }).click();
    await page.getByRole('menuitem', { name: 'Ben Berg' }).click();
    await page.getByText('101 tasks changed.').waitFor();
    expect([await ownedBy(ann.user.uniqueId), await ownedBy(ben.user.uniqueId)]).toEqual([0, 201]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 101 tasks was undone.').waitFor();
    expect(await ownedBy(ann.user.uniqueId)).toBe(101);
  });
});

/** The framework that the URL filters by. */
async function frameworkInUrl(page: Page): Promise<string> {
  await page.waitForURL(/framework=/);
  return new URL(page.url()).searchParams.get('framework') ?? '';
}
