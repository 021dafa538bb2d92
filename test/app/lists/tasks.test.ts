import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews, expectLandmarks } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs, openAsMember } from '../../support/app/application.ts';
import { asOwner } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** A company with tasks of several statuses, priorities and dates, and its admin. */
async function companyWithTasks() {
  const company = await createCompany();
  const ann = await createMember(company);
  const rows = [
    { title: 'Review access rights', priority: 1, dueDate: dateIn(-3), departmentId: company.department },
    { title: 'Test the restore of backups', priority: 2, dueDate: dateIn(5) },
    { title: 'Train new employees in information security', priority: 4, labels: ['people'] },
    { title: 'Sign the contract with the auditor', dueDate: dateIn(40) },
  ];
  const tasks = [];
  for (const row of rows) tasks.push(await company.newTask(row));
  const [access, restore] = tasks;
  if (access === undefined || restore === undefined) throw new Error('tasks: expected four');
  await ann.caller.task.update({ taskUniqueId: restore.uniqueId, status: 'in_progress' });
  return { company, ann, access, restore };
}

describeInBrowser('the tasks', () => {
  test('are accessible as a table and as a board, in every view', async () => {
    const { ann } = await companyWithTasks();
    const page = await openAs(ann, '/tasks');
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    await page.getByLabel('Select Review access rights').check();
    await page.getByRole('toolbar', { name: 'Selected tasks' }).waitFor();
    await expectGoodViews(page);

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Due until').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await page.getByText('Board', { exact: true }).click();
    await page.getByRole('region', { name: 'In progress' }).getByRole('link').waitFor();
    await expectGoodViews(page);

    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByLabel('Title').waitFor();
    await expectGoodViews(page);
  });

  test('have menus and lists of options within a landmark, and titles in the direction of their language', async () => {
    const { ann, company } = await companyWithTasks();
    await company.newTask({ title: 'مراجعة حقوق الوصول' });
    const page = await openAs(ann, '/tasks');
    const title = page.getByRole('link', { name: 'مراجعة حقوق الوصول' });
    expect(await title.evaluate((link) => link.matches(':dir(rtl)'))).toBe(true);
    await page.getByLabel('Assignee').click();
    await page.getByRole('option', { name: 'Nobody' }).waitFor();
    await expectLandmarks(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await expectLandmarks(page);
  });

  test('are created with a key press, and a failed creation keeps what was typed', async () => {
    const { company, ann, page } = await openAsMember('/tasks');
    expectConsole(/422/);
    await page.getByText('0 tasks').waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Encrypt laptops');
    await page.getByLabel('Start date').fill('2026-05-02');
    await page.getByLabel('Due date').fill('2026-05-01');
    await choose(page, 'Department', 'Security');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2026-05-01 is before startDate 2026-05-02').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Encrypt laptops');
    await page.getByLabel('Due date').fill('2026-05-03');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Encrypt laptops' }).waitFor();
    const { items } = await ann.caller.task.list({ framework: company.framework, limit: 10 });
    expect(items).toMatchObject([
      { title: 'Encrypt laptops', dueDate: '2026-05-03', departmentId: company.department, priority: 3 },
    ]);
    await page.getByRole('link', { name: 'Open it' }).click();
    expect(new URL(page.url()).pathname).toBe(`/tasks/${items?.[0]?.uniqueId}`);
  });

  test('are filtered and sorted by the URL, under the parameter names of the API', async () => {
    const { company, ann } = await companyWithTasks();
    const second = await ann.caller.management.framework.create({ name: 'SOC 2' });
    const page = await openAs(ann, '/tasks');
    await page.getByText('4 tasks').waitFor();
    await page.getByLabel('Search tasks').fill('the');
    await page.getByText('2 tasks').waitFor();
    await choose(page, 'Status', 'Todo');
    const another = page.getByRole('option', { name: 'In review' });
    await another.click();
    await page.getByPlaceholder('Todo, In review').waitFor();
    await another.click();
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Due date' }).click();
    await page.getByRole('columnheader', { name: 'Due date' }).and(page.locator('[aria-sort=descending]')).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      q: 'the',
      status: 'todo',
      sort: '-dueDate',
    });

    await page.goto(
      new URL(`/tasks?framework=${company.framework}&priority=1,2&dueBefore=${dateIn(1)}&status=open`, page.url()).href,
    );
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(await page.getByRole('table').getByText('3 days overdue').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove filter Priority: Urgent, High' }).click();
    await page.getByRole('button', { name: /^Remove filter Due until: .*\d{4}/ }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe(`?framework=${company.framework}&status=open`);
    await page.getByRole('button', { name: 'Remove filter Status: Open' }).click();
    await page.getByRole('combobox', { name: 'Framework' }).click();
    await page.getByRole('option', { name: 'SOC 2' }).click();
    await page.getByText('Tasks are the work that a framework requires').waitFor();
    expect(new URL(page.url()).search).toBe(`?framework=${second.id}`);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goto(new URL('/tasks?status=opne', page.url()).href);
    await page.getByText('4 tasks', { exact: true }).waitFor();
    expect(await page.getByText('Status: opne').count()).toBe(0);
  });

  test('are changed and deleted together, and those that fail stay selected', async () => {
    const { company, ann, access } = await companyWithTasks();
    await ann.caller.task.update({ taskUniqueId: access.uniqueId, status: 'done' });
    const page = await openAs(ann, '/tasks');
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    await page.getByLabel('Select all rows').check();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('button', { name: 'Set status' }).click();
    await page.getByRole('menuitem', { name: 'Canceled' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('1 task could not be changed').waitFor();
    expect(await alert.textContent()).toMatch(/stay selected.*Review access rights: Status: done cannot become/);
    await page.getByText('3 tasks changed.').waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('1 selected').waitFor();
    const statuses = async () =>
      (await ann.caller.task.list({ framework: company.framework, limit: 10 })).items?.map(({ status }) => status);
    expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled', 'done']);

    await page.getByRole('button', { name: 'Set due date' }).click();
    await page.getByRole('textbox', { name: 'Due date' }).fill('2026-12-24');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 task changed.').waitFor();
    expect(await ann.caller.task.get({ taskUniqueId: access.uniqueId })).toMatchObject({ dueDate: '2026-12-24' });

    await page.getByLabel('Select Review access rights').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 task deleted.').waitFor();
    await page.getByText('3 tasks', { exact: true }).waitFor();
    expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled']);
  });

  test('get their former values back, except those that somebody else changed meanwhile', async () => {
    const { company, ann, access, restore } = await companyWithTasks();
    const page = await openAs(ann, '/tasks');
    const statuses = async () =>
      (await ann.caller.task.list({ framework: company.framework, limit: 10, sort: 'createdAt' })).items?.map(
        ({ status }) => status,
      );
    const setDone = async () => {
      await page.getByLabel('Select all rows').check();
      await page.getByRole('button', { name: 'Set status' }).click();
      await page.getByRole('menuitem', { name: 'Done' }).click();
      await page.getByText('4 tasks changed.').waitFor();
    };
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    await setDone();
    expect(await statuses()).toEqual(['done', 'done', 'done', 'done']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 4 tasks was undone.').waitFor();
    expect(await statuses()).toEqual(['todo', 'in_progress', 'todo', 'todo']);

    await setDone();
    await ann.caller.task.update({ taskUniqueId: restore.uniqueId, status: 'todo' });
    await ann.caller.task.update({ taskUniqueId: access.uniqueId, priority: 4 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 2 tasks was undone.').waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'The change of 2 tasks could not be undone' });
    await alert.getByText('Test the restore of backups: Somebody else changed it in the meantime.').waitFor();
    expect(await statuses()).toEqual(['done', 'todo', 'todo', 'todo']);
    await expectAccessible(page);
  });

  test('move on the board with the mouse, the keyboard and a menu', async () => {
    const { ann, access } = await companyWithTasks();
    const status = async () => (await ann.caller.task.get({ taskUniqueId: access.uniqueId })).status;
    const page = await openAs(ann, '/tasks?view=board&closed=shown');
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    const card = (name: string) => column(name).getByRole('listitem').filter({ hasText: 'Review access rights' });
    await card('Todo').dragTo(column('In review'));
    await page.getByText('“Review access rights” moved to In review.').waitFor({ state: 'attached' });
    expect(await status()).toBe('in_review');

    await card('In review').getByRole('link').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('moved to Done.').waitFor({ state: 'attached' });
    await card('Done').locator('a:focus').waitFor();
    expect(await status()).toBe('done');

    await page.keyboard.press('ArrowLeft');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Test the restore of backups');

    await card('Done').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Todo' }).click();
    await page.getByText('moved to Todo.').waitFor({ state: 'attached' });
    expect(await status()).toBe('todo');
  });

  test('move to columns of the board that are still loading', async () => {
    const { ann, access } = await companyWithTasks();
    const page = await openAs(ann, '/tasks?view=board');
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    const card = (name: string) => column(name).getByRole('link', { name: 'Review access rights' });
    await card('Todo').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/trpc/task.listAll*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('switch', { name: 'Show closed' }).check({ force: true });
    await card('Todo').focus();
    for (const name of ['In progress', 'In review']) {
      await page.keyboard.press('Shift+ArrowRight');
      await card(name).and(page.locator(':focus')).waitFor();
    }
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('moved to Done.').waitFor({ state: 'attached' });
    held.resolve();
    await card('Done').and(page.locator(':focus')).waitFor();
    expect((await ann.caller.task.get({ taskUniqueId: access.uniqueId })).status).toBe('done');
  });

  test('are not lost by a move that ends while they are on their way to a column that is still loading', async () => {
    const { ann } = await companyWithTasks();
    const page = await openAs(ann, '/tasks?view=board');
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    const card = (name: string) => column(name).getByRole('link', { name: 'Review access rights' });
    await card('Todo').waitFor();
    const lists = Promise.withResolvers<void>();
    const updates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sent: unknown[] = [];
    await page.route('**/trpc/task.listAll*', async (route) => {
      await lists.promise;
      await route.continue();
    });
    await page.route('**/trpc/task.update*', async (route) => {
      await updates[sent.push(route) - 1]?.promise;
      await route.continue();
    });
    await page.getByRole('switch', { name: 'Show closed' }).check({ force: true });
    await card('Todo').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await card('In progress').and(page.locator(':focus')).waitFor();
    const item = column('In progress').getByRole('listitem').filter({ hasText: 'Review access rights' });
    await item.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Done' }).click();
    await card('In progress').waitFor({ state: 'detached' });
    lists.resolve();
    updates[0]?.resolve();
    await expect.poll(() => sent.length).toBe(2);
    // What the first move asks for is here before the second one is saved.
    await page.evaluate(`fetch('/session')`);
    updates[1]?.resolve();
    await card('Done').waitFor();
    expect(await card('In progress').count()).toBe(0);
  });

  test('are on a board without those that are closed, unless a person shows them, and all columns fit', async () => {
    const { ann, access } = await companyWithTasks();
    await ann.caller.task.update({ taskUniqueId: access.uniqueId, status: 'done' });
    const page = await openAs(ann, '/tasks?view=board');
    await page.getByText('3 tasks', { exact: true }).waitFor();
    const columns = page.locator('.board-column h2');
    await expect.poll(() => columns.count()).toBe(3);
    await page.getByRole('switch', { name: 'Show closed' }).check({ force: true });
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Done' }).getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(await columns.count()).toBe(6);
    const isWhole = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.board'))`;
    expect(await page.evaluate(isWhole)).toBe(true);
    expect(new URL(page.url()).searchParams.get('closed')).toBe('shown');
    await page.getByRole('switch', { name: 'Show closed' }).uncheck({ force: true });
    await page.getByText('3 tasks', { exact: true }).waitFor();
    await expectGoodViews(page);
  });

  test('of which there are none leave a board that the keyboard scrolls', async () => {
    const { page } = await openAsMember('/tasks?view=board', {}, { width: 375 });
    const board = page.getByRole('region', { name: 'Board', exact: true });
    await board.getByText('No tasks').first().waitFor();
    await board.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => board.evaluate((element) => Number(Reflect.get(element, 'scrollLeft')))).toBeGreaterThan(0);
    await expectAccessible(page);
  });

  test('are the open ones at first, by the link of the navigation, with a button that removes the filter', async () => {
    const { ann, access } = await companyWithTasks();
    await ann.caller.task.update({ taskUniqueId: access.uniqueId, status: 'done' });
    const page = await openAs(ann, '/');
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks', exact: true });
    await link.click();
    await page.getByText('3 tasks', { exact: true }).waitFor();
    expect(await link.getAttribute('aria-current')).toBe('page');
    await page.getByRole('button', { name: 'Remove filter Status: Open' }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();
    expect(await link.getAttribute('aria-current')).toBe('page');
    expect(new URL(page.url()).search).toBe('');
  });

  test('return to their column, with an error, if the change of the status is not permitted', async () => {
    const { ann, access } = await companyWithTasks();
    await ann.caller.task.update({ taskUniqueId: access.uniqueId, status: 'done' });
    const page = await openAs(ann, '/tasks?view=board&closed=shown');
    expectConsole(/409/);
    const done = page.getByRole('region', { name: 'Done' });
    await done.getByRole('link', { name: 'Review access rights' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('alert').getByText('could not be moved to Not applicable').waitFor();
    await done.getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(await done.getByRole('heading').textContent()).toBe('Done1');
    await expectAccessible(page);
  });

  test('are changed together in several batches, and the board loads 25 cards of a column at a time', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    for (const count of [100, 30]) {
      const items = Array.from({ length: count }, (_, index) => ({
        op: 'create' as const,
        framework: company.framework,
        body: { title: `Task ${index}` },
      }));
      await ann.caller.task.batch({ items });
    }
    const page = await openAs(ann, '/tasks');
    await page.getByText('130 tasks').waitFor();
    await page.locator('table[aria-rowcount="101"]').waitFor();
    await page.getByLabel('Select all rows').check();
    await page.getByText('100 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 130' }).click();
    await page.getByText('130 selected').waitFor();
    await page.getByRole('button', { name: 'Set priority' }).click();
    await page.getByRole('menuitem', { name: 'Urgent' }).click();
    await page.getByText('130 tasks changed.').waitFor();
    expect(await ann.caller.task.list({ framework: company.framework, priority: '1' })).toEqual({ total: 130 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 130 tasks was undone.').waitFor();
    expect(await ann.caller.task.list({ framework: company.framework, priority: '3' })).toEqual({ total: 130 });

    await page.evaluate('scrollTo(0, 0)');
    await page.getByText('Board', { exact: true }).click();
    const cards = page.getByRole('region', { name: 'Todo' }).getByRole('listitem');
    await cards.nth(24).waitFor();
    expect(await cards.count()).toBe(25);
    await cards.nth(24).scrollIntoViewIfNeeded();
    await cards.nth(49).waitFor();
    expect(await cards.count()).toBe(50);
  });

  test('are read by an auditor, without buttons that change them', async () => {
    const { company } = await companyWithTasks();
    const page = await openAs(await createMember(company, { role: 'auditor' }), '/tasks');
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New task' }).count()).toBe(0);
    await page.getByText('Board', { exact: true }).click();
    await page.getByRole('region', { name: 'Todo' }).getByRole('listitem').first().waitFor();
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
  });
});

describeInBrowser('a list of 10,000 tasks', () => {
  test('keeps few rows in the page while a person scrolls', async () => {
    const { company, ann, access } = await companyWithTasks();
    await asOwner(
      (run) =>
        run(
          `insert into task (company_id, framework_id, unique_id, title, created_by_id, updated_by_id)
           select company_id, framework_id, uuid_v7(), 'Task ' || n, created_by_id, updated_by_id
           from task, generate_series(1, 9996) n where unique_id = $1::uuid`,
          access.uniqueId,
        ),
      { company: company.id, user: company.apiKey.user.uniqueId },
    );
    const page = await openAs(ann, `/tasks?framework=${company.framework}&sort=createdAt`);
    await page.getByText('10,000 tasks').waitFor();
    for (const number of [300, 600, 900]) {
      while ((await page.locator(`tr[aria-rowindex="${number}"]`).count()) === 0) await page.mouse.wheel(0, 700);
      expect(await page.locator('tr').count()).toBeLessThan(120);
    }
    expect(Number(await page.getByRole('table').getAttribute('aria-rowcount'))).toBeGreaterThan(900);
  });
});
