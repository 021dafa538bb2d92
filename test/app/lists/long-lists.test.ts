import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const STATUSES = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'] as const;
const LONG =
  'Review the access rights of every person of the company in every system, with the owner of each, and sign it';

/** A member of a company with 400 tasks with titles of 120 characters, of every status, some of them long overdue. */
async function memberWithTasks() {
  const company = await createCompany();
  const ann = await createMember(company);
  for (let part = 0; part < 4; part += 1) {
    const created = await ann.caller.task.batch({
      items: Array.from({ length: 100 }, (_, index) => ({
        op: 'create' as const,
        framework: company.framework,
        body: {
          title: `Task ${part * 100 + index}`.padEnd(index % 3 === 0 ? 0 : 120, ` ${LONG}`),
          priority: 1 + (index % 4),
          dueDate: index % 2 === 0 ? '2022-09-30' : null,
          departmentId: company.department,
          assigneeId: ann.uniqueId,
        },
      })),
    });
    await ann.caller.task.batch({
      items: created.results.map(({ item }, index) => ({
        op: 'update' as const,
        uniqueId: item?.uniqueId ?? '',
        body: { status: STATUSES[index % STATUSES.length] },
      })),
    });
  }
  return ann;
}

const shownColumns = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('tr[aria-rowindex="2"] td[data-column]')]
    .filter((cell) => cell.offsetParent !== null).map((cell) => cell.dataset.column)`);

/** Width of the name, and texts that must be whole and are not. */
const layout = (page: Page): Promise<unknown> =>
  page.evaluate(`({
    name: document.querySelector('td[data-column=title]').offsetWidth,
    cut: [...document.querySelectorAll('td[data-column]:not([data-column=title])')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
    isScrolledSideways: document.documentElement.scrollWidth > innerWidth,
  })`);

const TWO_LINES = ['title', 'status', 'assignee', 'dueDate'];
const WIDTHS = [
  [375, TWO_LINES],
  [600, TWO_LINES],
  [800, TWO_LINES],
  [900, TWO_LINES],
  [1024, TWO_LINES],
  [1280, ['title', 'status', 'priority', 'assignee', 'dueDate', 'framework']],
  [1440, ['title', 'status', 'priority', 'assignee', 'dueDate', 'framework', 'updatedAt']],
  [1920, ['title', 'status', 'priority', 'assignee', 'dueDate', 'framework', 'updatedAt', 'createdAt']],
] as const;

describeInBrowser('a list of 400 tasks', () => {
  test('shows states and dates whole at every width, keeps room for the title, and has the columns that a person chose', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks');
    await page.getByText('400 tasks').waitFor();
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    expect(await shownColumns(page)).not.toContain('createdAt');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Created' }).click();
    for (const name of ['Department', 'Evidence']) {
      const item = page.getByRole('menuitemcheckbox', { name, exact: true });
      // The first click brings the column back that left, the second one removes it.
      await item.click();
      await item.click();
    }
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    for (const [width, columns] of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => shownColumns(page), { message: String(width) }).toEqual(columns);
      expect([width, await layout(page)]).toEqual([
        width,
        { name: expect.toSatisfy((name: number) => name >= 280), cut: [], isScrolledSideways: false },
      ]);
    }
  });

  test('brings a column back that left, which then stays in every window', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks', { width: 1024 });
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    expect(await shownColumns(page)).toEqual(TWO_LINES);
    await page.getByRole('button', { name: 'Columns' }).click();
    const priority = page.getByRole('menuitemcheckbox', { name: 'Priority' });
    expect(await priority.getAttribute('aria-checked')).toBe('false');
    await priority.click();
    expect(await priority.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Escape');
    const withAssignee = ['title', 'status', 'priority', 'assignee', 'dueDate'];
    for (const [width, columns] of [
      [1024, ['title', 'status', 'priority', 'dueDate']],
      [600, withAssignee],
      [375, withAssignee],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => shownColumns(page)).toEqual(columns);
      expect(await layout(page)).toMatchObject({ cut: [], isScrolledSideways: false });
    }
    const box = async (column: string) =>
      (await page.locator(`tr[aria-rowindex="2"] [data-column=${column}]`).boundingBox())?.y ?? 0;
    expect(await box('priority')).toBeGreaterThan(await box('title'));
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Framework').check();
    await page.keyboard.press('Escape');
    await page.locator('tr[aria-rowindex="2"] [data-column=framework]').getByText('ISO 27001').waitFor();
    await expectGoodViews(page);
  });

  test('shows titles and names in full on a phone, however long they are', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Anneliese Wolfeschlegelsteinhausenbergerdorff' });
    await company.newTask({ title: `${LONG}, then send it`, dueDate: '2022-09-30', assigneeId: ann.uniqueId });
    const page = await openAs(ann, '/tasks', { width: 375 });
    const row = page.locator('tr[aria-rowindex="2"]');
    await row.waitFor();
    for (const text of [row.getByRole('link'), row.locator('.name')])
      expect(
        await text.evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [
          scrollHeight - clientHeight,
          scrollWidth - clientWidth,
        ]),
      ).toEqual([0, 0]);
    expect(await layout(page)).toMatchObject({ cut: [], isScrolledSideways: false });
  });

  test('has rows of two lines in a narrow window, the title above what one looks for first', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks', { width: 600 });
    const row = page.locator('tr[aria-rowindex="2"]');
    const place = async (column: string) => {
      const box = await row.locator(`[data-column=${column}]`).boundingBox();
      return box ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    await row.waitFor();
    const [title, due, status] = [await place('title'), await place('dueDate'), await place('status')];
    expect(due.y).toBeGreaterThanOrEqual(title.y + title.height);
    expect(status.y).toBe(due.y);
    expect(status.x).toBeGreaterThan(due.x + due.width);
    expect(await row.locator('[data-column=dueDate]').innerText()).toMatch(/2022, [\d,]+ days overdue$/);
    await expectGoodViews(page);
  });

  test('has all its columns on paper, with headings that each sheet can repeat, and a board is its table', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks?view=board');
    await page.getByRole('region', { name: 'Todo', exact: true }).getByRole('link').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    const headings = page.getByRole('columnheader');
    expect(await headings.allInnerTexts()).toEqual([
      'Title',
      'Status',
      'Priority',
      'Assignee',
      'Due date',
      'Framework',
      'Department',
      'Evidence',
      'Updated',
    ]);
    expect(await headings.getByRole('button').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(703);
  });

  test('returns with "Back" and with its link as it was: position, loaded pages, filters and selection', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks?sort=createdAt', { width: 375 });
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByText('400 tasks').waitFor();
      await page.getByLabel('Select Task 3', { exact: true }).check();
      const row = page.locator('tr[aria-rowindex="252"]');
      // Only rows near the window are in the page, so each step is shown before the next one.
      while ((await row.count()) === 0)
        await page.evaluate(`new Promise((done) => {
          scrollBy(0, 500);
          requestAnimationFrame(() => requestAnimationFrame(done));
        })`);
      await row.scrollIntoViewIfNeeded();
      const position = async () => Math.round((await row.boundingBox())?.y ?? 0);
      for (const way of ['Back', 'link']) {
        await row.getByRole('link').focus();
        const before = await position();
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Delete' }).waitFor();
        if (way === 'Back') await page.goBack();
        else await page.getByRole('link', { name: 'Back to the tasks' }).click();
        await row.waitFor();
        await expect.poll(position).toBe(before);
        await page.getByText('1 selected').waitFor();
        expect(new URL(page.url()).search).toBe('?sort=createdAt');
      }
      await page.evaluate('scrollTo(0, 0)');
      await page.getByRole('button', { name: 'Clear selection' }).click();
    }
  });

  test('is sorted by clicks on a header, and by a select in a narrow window', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks');
    const sort = () => new URL(page.url()).searchParams.get('sort');
    for (const order of ['-dueDate', null]) {
      await page.getByRole('button', { name: 'Due date' }).click();
      await expect.poll(sort).toBe(order);
    }
    expect(await page.getByLabel('Order').isVisible()).toBe(false);
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Order').selectOption('Urgent first');
    await expect.poll(sort).toBe('priority');
  });

  test('selects a range with Shift, keeps its total in view, and moves with j and k', async () => {
    const page = await openAs(await memberWithTasks(), '/tasks?sort=createdAt');
    const box = (row: number) => page.locator(`tr[aria-rowindex="${row}"]`).getByRole('checkbox');
    await box(3).click();
    await box(7).click({ modifiers: ['Shift'] });
    await page.getByText('5 selected').waitFor();
    await box(5).click();
    await box(7).click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    await page.locator('tr[aria-rowindex="2"]').getByRole('link').focus();
    const hasFocus = (row: number) => page.locator(`tr[aria-rowindex="${row}"] a:focus`).count();
    while ((await hasFocus(90)) === 0) await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect.poll(() => hasFocus(89)).toBe(1);
    expect((await page.getByText('400 tasks').boundingBox())?.y).toBeGreaterThan(0);
  });
});
