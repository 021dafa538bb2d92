import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** Dates are in the future, because the next task is due today or later. */
const QUARTERLY = 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1';

async function openTask(recurrence: string | null, dueDate: string | null = '2098-03-31', role?: 'auditor') {
  const company = await createCompany();
  const ann = await createMember(company);
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({
    framework: company.framework,
    title: 'Review access rights',
    recurrence,
    dueDate,
  });
  const reader = role === undefined ? ann : await createMember(company, { role });
  const page = await openAs(reader, `/tasks/${taskUniqueId}`);
  return { company, ann, taskUniqueId, page, stored: () => ann.caller.task.get({ taskUniqueId }) };
}

/** The part with the fields of a task. */
const properties = (page: Page) => page.getByRole('region', { name: 'Properties' });
const recurrence = (page: Page) => page.getByLabel('Recurrence', { exact: true });
const seriesRows = async (page: Page) =>
  (await page.getByRole('table', { name: 'Tasks of the series' }).locator('tbody tr').allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' '),
  );

describeInBrowser('a task', () => {
  test('recurs as words say, and makes the next task each time it is closed', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const page = await openAs(ann, '/tasks');
    await page.getByRole('button', { name: 'New task' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Title').fill('Review access rights');
    await choose(page, 'Vendors', 'Cloud Ltd');
    await dialog.getByText('A recurrence needs a due date.').waitFor();
    await dialog.getByLabel('Due date').fill('2098-03-31');
    await dialog.getByRole('button', { name: 'Set recurrence' }).click();
    await recurrence(page).selectOption('Quarterly');
    await dialog.getByText('Next due: Jun 30, 2098; Sep 30, 2098; Dec 31, 2098').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Open it' }).click();
    await properties(page).getByText('Every 3 months on the last day').waitFor();
    await properties(page).getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Series' }).count()).toBe(0);

    await choose(page, 'Status', 'Done');
    await page.getByRole('link', { name: 'The next task is due Jun 30, 2098' }).click();
    await page.getByRole('link', { name: 'Previous, Mar 31, 2098' }).waitFor();
    await choose(page, 'Status', 'Not applicable');
    await page.getByRole('link', { name: 'The next task is due Sep 30, 2098' }).waitFor();
    await page.getByRole('link', { name: 'Next, Sep 30, 2098' }).waitFor();
    expect(await seriesRows(page)).toEqual([
      'Sep 30, 2098 Todo Review access rights',
      'Jun 30, 2098 Not applicable Review access rights (this task)',
      'Mar 31, 2098 Done Review access rights',
    ]);
    await expectGoodViews(page);
    const { items } = await ann.caller.task.listAll({ limit: 10 });
    expect(items?.map(({ dueDate, vendors }) => [dueDate, vendors.length])).toEqual([
      ['2098-09-30', 1],
      ['2098-06-30', 1],
      ['2098-03-31', 1],
    ]);
  });

  test('has the button for its recurrence below the name of the field, as other fields have theirs', async () => {
    const company = await createCompany();
    const { uniqueId } = await company.newTask({ dueDate: '2027-01-31' });
    const page = await openAs(await createMember(company), `/tasks/${uniqueId}`);
    const button = properties(page).getByRole('button', { name: 'Set recurrence' });
    const name = properties(page).getByText('Recurrence', { exact: true });
    await button.waitFor();
    // Until everything is loaded, what is above them can move one between the two measurements.
    const place = async () => {
      const [below, above] = [await button.boundingBox(), await name.boundingBox()];
      if (below === null || above === null) throw new Error('expected both to be shown');
      return { isBelow: below.y >= above.y + above.height, isAligned: below.x === above.x };
    };
    await expect.poll(place).toEqual({ isBelow: true, isAligned: true });
  });

  test('gets its recurrence with the keyboard, which is saved when its fields are left', async () => {
    const { page, stored } = await openTask(null, '2098-03-31');
    await page.getByRole('button', { name: 'Set recurrence' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Recurrence');
    await page.keyboard.type('Weekly');
    await page.getByText('Next due: Apr 7, 2098; Apr 14, 2098; Apr 21, 2098').waitFor();
    await page.getByLabel('Every … weeks').fill('2');
    await page.getByText('Next due: Apr 14, 2098; Apr 28, 2098; May 12, 2098').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Every … weeks').press('Enter');
    await properties(page).getByText('Every second Monday').waitFor();
    await expect.poll(stored).toMatchObject({ recurrence: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', version: 2 });

    await page.getByRole('button', { name: 'Change recurrence' }).click();
    await recurrence(page).selectOption('Monthly');
    await page.getByLabel('On', { exact: true }).selectOption('A weekday');
    await page.getByLabel('Week', { exact: true }).selectOption('first');
    await page.getByLabel('Ends').selectOption('After a number of tasks');
    await page.getByLabel('Tasks, with this one').fill('2');
    await page.keyboard.press('Escape');
    await properties(page).getByText('Every second Monday').waitFor();
    expect(await stored()).toMatchObject({ version: 2 });
  });

  test('asks if a new due date moves the tasks that follow, with the mouse and with the keyboard', async () => {
    const { page, stored } = await openTask(QUARTERLY);
    const date = properties(page).getByLabel('Due date');
    await date.fill('2098-04-05');
    await expectAccessible(page);
    await properties(page).getByLabel('Start date').focus();
    await expect.poll(stored).toMatchObject({ dueDate: '2098-04-05', seriesDate: '2098-03-31' });
    await properties(page).getByText('Next due: Jun 30, 2098').waitFor();
    await date.fill('2098-04-06');
    await properties(page).getByLabel('This task and the ones that follow').check();
    await properties(page).getByLabel('Start date').focus();
    await expect.poll(stored).toMatchObject({ dueDate: '2098-04-06', seriesDate: '2098-04-06' });
    await date.fill('2098-04-07');
    await date.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toMatchObject({ dueDate: '2098-04-07', seriesDate: '2098-04-07' });
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Due date');
  });

  test('has its rule behind "Custom", with the reason why a rule is not saved', async () => {
    const { page, stored } = await openTask(QUARTERLY);
    expectConsole(/422/);
    await page.getByRole('button', { name: 'Change recurrence' }).click();
    await recurrence(page).selectOption('Custom');
    expect(await page.getByLabel('Rule').inputValue()).toBe(QUARTERLY);
    await page.getByLabel('Rule').fill('FREQ=HOURLY');
    const reason = 'xpected FREQ to be one of DAILY, WEEKLY, MONTHLY, YEARLY.';
    await page
      .getByRole('status')
      .filter({ hasText: `Recurrence: e${reason}` })
      .waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `Not saved. E${reason}` })
      .waitFor();
    await page.getByRole('button', { name: 'Change recurrence' }).click();
    await page.getByLabel('Rule').fill('FREQ=YEARLY;BYMONTH=1,7;BYDAY=2TU');
    await page.getByLabel('Rule').press('Enter');
    await properties(page).getByText('Custom rule FREQ=YEARLY;BYMONTH=1,7;BYDAY=2TU').waitFor();
    await properties(page).getByText('Next due: Jul 8, 2098').waitFor();
    await expect.poll(stored).toMatchObject({ recurrence: 'FREQ=YEARLY;BYMONTH=1,7;BYDAY=2TU' });
    await page.getByRole('button', { name: 'Change recurrence' }).click();
    expect(await recurrence(page).inputValue()).toBe('custom');
    await recurrence(page).selectOption('None');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Set recurrence' }).waitFor();
    await expect.poll(stored).toMatchObject({ recurrence: null });
  });

  test('makes the next task from the board and from a selection too', async () => {
    const { page } = await openTask(QUARTERLY);
    await page.goto(new URL('/tasks', page.url()).href);
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByLabel('Select Review access rights').check();
    await page.getByRole('button', { name: 'Set status' }).click();
    await page.getByRole('menuitem', { name: 'Done' }).click();
    await page.getByText('1 task changed. 1 next task was made.').waitFor();
    await page.getByText('Board', { exact: true }).click();
    await page.getByRole('switch', { name: 'Show closed' }).check({ force: true });
    const column = (name: string) => page.getByRole('region', { name });
    await column('In review').waitFor();
    await column('Todo').getByRole('link').focus();
    // Todo, in progress, in review, done.
    for (const name of ['In progress', 'In review', 'Done']) {
      await page.keyboard.press('Shift+ArrowRight');
      await column(name).getByRole('link').first().waitFor();
      await expect.poll(() => column(name).locator('a:focus').count()).toBe(1);
    }
    await page.getByRole('link', { name: 'The next task is due Sep 30, 2098' }).waitFor();
    await column('Todo').getByText('Sep 30, 2098').waitFor();
  });

  test('shows its recurrence as words to an auditor', async () => {
    const { page } = await openTask('FREQ=MONTHLY;BYDAY=1MO;COUNT=5', '2098-03-03', 'auditor');
    await properties(page).getByText('Every month on the first Monday, 5 tasks with this one').waitFor();
    await properties(page).getByText('Next due: Apr 7, 2098; May 5, 2098; Jun 2, 2098').waitFor();
    expect(await properties(page).locator('input, select, textarea, button:has-text("recurrence")').count()).toBe(0);
  });

  test('has vendors, which are found by name, and compared by name if two people changed them', async () => {
    const { company, ann, taskUniqueId, page, stored } = await openTask(null);
    const [cloud, paper] = await Promise.all(
      ['Cloud Ltd', 'Paper Ltd'].map((name) => ann.caller.vendor.create({ name })),
    );
    await page.getByRole('button', { name: 'Add vendors' }).click();
    await page.getByRole('option', { name: 'Paper Ltd' }).waitFor();
    const ben = await createMember(company, { name: 'Ben' });
    await ben.caller.task.update({ taskUniqueId, vendors: [paper?.uniqueId ?? ''] });
    expectConsole(/412/);
    await page.getByRole('combobox', { name: 'Vendors' }).fill('cloud');
    await page.getByRole('option', { name: 'Cloud Ltd' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByText('Paper Ltd').waitFor();
    await dialog.getByText('Cloud Ltd').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject({ vendors: [cloud?.uniqueId] });
    await page.getByText('changed the vendors').first().waitFor();
    await properties(page).getByRole('link', { name: 'Cloud Ltd' }).click();
    await page.waitForURL(`**/vendors/${cloud?.uniqueId}`);
  });

  test('is listed by its vendor, whose name is in the filter', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { uniqueId } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    await ann.caller.vendor.create({ name: 'Paper Ltd' });
    const title = 'Review Cloud';
    await ann.caller.task.create({ framework: company.framework, title, vendors: [uniqueId] });
    await ann.caller.task.create({ framework: company.framework, title: 'Review others' });
    const page = await openAs(ann, '/tasks');
    await page.getByText('2 tasks').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Vendor' }).fill('clo');
    await page.getByRole('option', { name: 'Cloud Ltd' }).click();
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('vendor')).toBe(uniqueId);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('link', { name: title }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Vendor: Cloud Ltd' }).click();
    await page.getByText('2 tasks').waitFor();
  });
});
