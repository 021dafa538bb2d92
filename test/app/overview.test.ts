import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import { applicationOrigin, describeInBrowser, openAs } from '../support/app/application.ts';
import { inOneMinute } from '../support/app/one-minute.ts';
import { sql } from '../support/database/database.ts';
import { createCompany, operator } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const DAYS = 60;

/** A date some days from today, as the browser sees it. */
const day = (days: number) => {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

/** A company with overdue tasks, a history of 60 days, vendors, and keys that need attention. */
async function createBusyCompany() {
  const acme = await createCompany();
  await acme.newTask({ title: 'Review suppliers', dueDate: day(-3) });
  await acme.newTask({ title: 'Rotate secrets', dueDate: day(-1) });
  const done = await acme.newTask({ title: 'Train the staff', dueDate: day(2) });
  await acme.newTask({ title: 'Test the backup', dueDate: day(3) });
  await acme.task.update({ taskUniqueId: done.uniqueId, status: 'done' });
  await acme.manage.department.create({ name: 'Finance' });
  await acme.vendor.create({ name: 'Cloud Ltd' });
  const { uniqueId } = await acme.vendor.create({ name: 'Mail Inc' });
  await acme.vendor.update({ vendor: uniqueId, status: 'inactive' });
  await acme.manage.apiKey.create({
    name: 'Ticket sync',
    expiresAt: new Date(Date.now() + 4.25 * 86_400_000).toISOString(),
  });
  await sql(
    `insert into task_status_day (company_id, framework_id, day, todo, in_progress, done, canceled)
     select $1, $2, (now() at time zone 'utc')::date - age, 2 + age / 12, age % 3, ($3::int - age) / 30, 0
     from generate_series(1, $3::int) age`,
    acme.id,
    acme.framework,
    DAYS,
  );
  await inOneMinute(acme);
  return acme;
}

describeInBrowser('the overview', () => {
  test('counts tasks by framework, and each number leads to its tasks', async () => {
    const acme = await createBusyCompany();
    const page = await openAs(await createMember(acme), '/');
    const table = page.getByRole('table', { name: 'Tasks by framework' });
    await table.getByRole('link', { name: '3 open tasks of ISO 27001' }).waitFor();
    await table.getByRole('link', { name: '1 tasks of ISO 27001 that are due this week' }).waitFor();
    await table.getByRole('link', { name: '2 overdue tasks of ISO 27001' }).click();
    await page.waitForURL(/\/tasks\?/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      framework: String(acme.framework),
      due: 'overdue',
    });
    await page.getByText('2 tasks', { exact: true }).waitFor();
  });

  test('begins with the frameworks that need attention, says how much is complete, and moves nothing while it loads', async () => {
    const acme = await createBusyCompany();
    const ann = await createMember(acme);
    for (let number = 1; number < 80; number += 1) {
      const { id } = await ann.caller.management.framework.create({ name: `Standard ${number}` });
      if (number === 79)
        await ann.caller.task.create({ framework: id, title: 'Late', dueDate: day(-1), assigneeId: ann.uniqueId });
    }
    const page = await openAs(ann, '/account');
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(applicationOrigin());
    const table = page.getByRole('table', { name: 'Tasks by framework' });
    await page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('window.shift')).toBeLessThan(0.02);
    const names = () => table.locator('tbody tr td:first-child a').allInnerTexts();
    expect((await names()).slice(0, 2)).toEqual(['ISO 27001', 'Standard 79']);
    expect((await names()).length).toBe(8);
    await table.getByText('25 %, 1 done of 4').waitFor();
    await page.getByRole('button', { name: 'Show all 80 frameworks' }).click();
    expect((await names()).length).toBe(80);
  });

  test('begins with the work of a person, each number with its tasks and their first titles', async () => {
    const acme = await createBusyCompany();
    const ann = await createMember(acme);
    const page = await openAs(ann, '/');
    await page.getByRole('table', { name: 'Tasks by framework' }).waitFor();
    const work = page.getByRole('region', { name: 'My work' });
    expect(await work.count()).toBe(0);

    const { framework } = acme;
    const own = { framework, assigneeId: ann.uniqueId };
    for (const days of [-4, -3, -2, -1])
      await ann.caller.task.create({ ...own, title: `Late ${-days}`, dueDate: day(days) });
    await ann.caller.task.create({ ...own, title: 'Far away', dueDate: day(60) });
    await page.reload();
    await work.getByRole('link', { name: '4 overdue' }).waitFor();
    expect(await page.locator('main h2').first().innerText()).toBe('My work');
    expect(await work.getByRole('link', { name: /^Late/ }).allInnerTexts()).toEqual(['Late 4', 'Late 3', 'Late 2']);
    await work.getByText('0 due this week').waitFor();
    await expectGoodViews(page);
    await work.getByRole('link', { name: '4 overdue' }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Assignee: Me' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Due: Overdue' }).waitFor();
  });

  test('shows whose work is overdue, and of which departments, each number with its tasks', async () => {
    const acme = await createBusyCompany();
    const ann = await createMember(acme, { name: 'Ann Lee' });
    const finance = (await acme.manage.department.list()).find(({ name }) => name === 'Finance')?.id ?? null;
    const late = { framework: acme.framework, assigneeId: ann.uniqueId, departmentId: finance };
    for (const days of [-9, -4, -2])
      await ann.caller.task.create({ ...late, title: `Late ${-days}`, dueDate: day(days) });
    const page = await openAs(ann, '/');
    const rowsOf = async (name: string) => {
      const rows = page.getByRole('table', { name }).getByRole('row');
      await rows.first().waitFor();
      return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    };
    expect(await rowsOf('Overdue tasks by person')).toEqual([
      'Person Overdue Oldest was due',
      expect.stringMatching(/^Ann Lee 3 .*20\d\d, 9 days overdue$/),
      expect.stringMatching(/^Nobody 2 .*20\d\d, 3 days overdue$/),
    ]);
    expect(await rowsOf('Overdue tasks by department')).toEqual([
      'Department Overdue Oldest was due',
      expect.stringMatching(/^Finance 3 /),
      expect.stringMatching(/^No department 2 /),
    ]);
    await expectGoodViews(page);
    await page.getByRole('link', { name: '3 overdue tasks of Finance' }).click();
    await page.getByText('3 tasks', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: '3 overdue tasks of Ann Lee' }).click();
    await page.getByText('3 tasks', { exact: true }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      assignee: ann.uniqueId,
      due: 'overdue',
      sort: 'dueDate',
    });
  });

  test('prints as a report of the company, with tables in place of charts', async () => {
    const acme = await createBusyCompany();
    const page = await openAs(await createMember(acme), '/');
    await page.getByRole('img', { name: /^Tasks from/ }).waitFor();
    expect(await page.getByText(/^Acme, as of/).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.getByText(/^Acme, as of .*20\d\d/).waitFor();
    const weeks = page.getByRole('table', { name: 'Tasks by status and day' }).getByRole('row');
    await expect.poll(() => weeks.count()).toBe(Math.floor(DAYS / 7) + 2);
    expect(await page.locator('main h2:visible').allInnerTexts()).toEqual([
      'Tasks',
      'Vendors',
      'Vendor reviews',
      'Overdue work',
      'Open questions',
      'Tasks over the last 90 days',
      'Expiring evidence',
    ]);
    for (const hidden of [page.getByRole('img'), page.getByRole('button'), page.getByRole('navigation')])
      expect(await hidden.count()).toBe(0);
  });

  test('counts what is overdue and due by the day of the time zone of the company', async () => {
    const acme = await createCompany();
    await acme.manage.settings.update({ timeZone: 'Pacific/Kiritimati' });
    const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Pacific/Kiritimati' });
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    await acme.newTask({ title: 'Due today', dueDate: today });
    await acme.newTask({ title: 'Due yesterday', dueDate: yesterday });
    const page = await openAs(await createMember(acme), '/');
    const table = page.getByRole('table', { name: 'Tasks by framework' });
    await table.getByRole('link', { name: '1 overdue tasks of ISO 27001' }).waitFor();
    await table.getByRole('link', { name: '1 tasks of ISO 27001 that are due this week' }).click();
    await page.getByRole('link', { name: 'Due today' }).waitFor();
    expect(new URL(page.url()).searchParams.get('due')).toBe('week');
  });

  test('shows the progress of a framework, in numbers and as a bar', async () => {
    const acme = await createBusyCompany();
    const { uniqueId } = await acme.newTask({ title: 'Label the cables' });
    await acme.task.update({ taskUniqueId: uniqueId, status: 'not_applicable' });
    const page = await openAs(await createMember(acme), '/');
    const bar = page.getByRole('img', { name: 'Progress of ISO 27001: 1 done and 1 not applicable of 5' });
    await bar.waitFor();
    const widths = await bar.locator('span').evaluateAll((parts) => parts.map(({ style }) => style.width));
    expect(widths).toEqual(['20%', '20%']);
  });

  test('shows the numbers of today as one bar for each framework until there are seven days', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.newTask();
    await acme.newTask();
    await acme.task.update({ taskUniqueId: uniqueId, status: 'done' });
    const page = await openAs(await createMember(acme), '/');
    const today = page.getByRole('region', { name: 'Tasks today' });
    await today.getByRole('img', { name: 'ISO 27001: 1 done, 0 other closed, 1 open' }).waitFor();
    expect(await page.getByText('Tasks over the last 90 days').count()).toBe(0);
    await sql(
      `insert into task_status_day (company_id, framework_id, day, todo)
       select $1, $2, (now() at time zone 'utc')::date - 6, 1`,
      acme.id,
      acme.framework,
    );
    await page.reload();
    await page.getByRole('region', { name: 'Tasks over the last 90 days' }).getByRole('img').waitFor();
    expect(await today.count()).toBe(0);
  });

  test.each(['/', '/frameworks', '/frameworks?tab=departments'])(
    'has targets of 24 px on a phone at %s',
    async (path) => {
      const acme = await createBusyCompany();
      const page = await openAs(await createMember(acme), path, { width: 375 });
      await page
        .getByRole('link', { name: /ISO 27001|Finance/ })
        .first()
        .waitFor();
      const small = await page.locator('main :is(a, button):visible').evaluateAll((targets) =>
        targets
          .map((target) => ({ name: target.textContent, box: target.getBoundingClientRect() }))
          .filter(({ box }) => box.width < 24 || box.height < 24)
          .map(({ name }) => name),
      );
      expect(small).toEqual([]);
    },
  );

  test('draws the tasks of the last 90 days, and shows the same numbers as a table', async () => {
    const acme = await createBusyCompany();
    const page = await openAs(await createMember(acme), '/');
    const chart = page.getByRole('img', { name: /Open from .* to 3, Done from .* to 1/ });
    await chart.waitFor();
    expect(await chart.locator('svg path').count()).toBe(3);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('table', { name: 'Tasks by status and day' }).getByRole('row');
    expect(await rows.count()).toBe(DAYS + 2);
    const [, ...counts] = await rows.nth(1).getByRole('cell').allTextContents();
    expect(counts).toEqual(['3', '0', '0', '1', '0', '0']);
    await expectAccessible(page);
  });

  test('shows vendors by status, and keys to look at', async () => {
    const acme = await createBusyCompany();
    const page = await openAs(await createMember(acme), '/');
    await page.getByRole('link', { name: 'Inactive' }).waitFor();
    const keys = page.getByRole('region', { name: 'API keys that need attention' }).getByRole('listitem');
    await keys.first().waitFor();
    expect(await keys.allInnerTexts()).toEqual([
      expect.stringMatching(/Ticket sync[^]*Expires[^]*20\d\d[^]*in 4 days/),
    ]);
    await keys.getByRole('link', { name: 'Ticket sync' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ticket sync' }).waitFor();
  });

  test('shows the latest changes as sentences with names, links and exact times', async () => {
    const page = await openAs(await createMember(await createBusyCompany()), '/');
    const changes = page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem');
    await changes.first().waitFor();
    const sentences = await changes.allTextContents();
    const created = 'Integration of Acme created 2 vendors: Mail Inc and Cloud Ltd';
    const changed = 'Integration of Acme changed the status of Mail Inc from Active to Inactive';
    expect(sentences).toContainEqual(expect.stringContaining(changed));
    expect(sentences).toContainEqual(expect.stringContaining(created));
    expect(sentences[0]).toMatch(/^Ann added the member Ann.*\d+:\d\d:\d\d [AP]M$/);
    await changes.getByRole('link', { name: 'Mail Inc' }).first().click();
    await page.waitForURL(/\/vendors\//);
  });

  test('shows eight lines, also after an import of more events than one page has', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) {
      await acme.newTask({ title: `Task ${name}` });
      await ann.caller.vendor.create({ name: `Vendor ${name}` });
    }
    for (let number = 1; number <= 60; number += 1) await acme.vendor.create({ name: `Import ${number}` });
    await inOneMinute(acme);
    const page = await openAs(ann, '/');
    const lines = page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem');
    await lines.first().waitFor();
    expect(await lines.count()).toBe(8);
    expect(await lines.first().textContent()).toContain('created 60 vendors: Import 60, Import 59 and 58 more');
  });

  test('shows no keys to an editor', async () => {
    const acme = await createBusyCompany();
    const page = await openAs(await createMember(acme, { role: 'editor' }), '/');
    await page.getByText('created 2 vendors: Mail Inc and Cloud Ltd').waitFor();
    expect(await page.getByRole('heading', { name: 'API keys that need attention' }).count()).toBe(0);
  });

  test('tells an admin of a new company what to do first', async () => {
    const { id } = await operator.company.create({ name: 'New' });
    const page = await openAs(await createMember({ id }), '/');
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('link');
    await steps.first().waitFor();
    expect(await steps.allTextContents()).toEqual([
      'Create a framework',
      'Create a task',
      'Import what you have',
      'Add a vendor',
      'Invite your colleagues',
    ]);
    await expectAccessible(page);
    await steps.first().click();
    await page.getByRole('heading', { name: 'Frameworks' }).waitFor();
  });

  test('is accessible in every view', async () => {
    const page = await openAs(await createMember(await createBusyCompany()), '/');
    await page.getByRole('img', { name: /^Tasks from/ }).waitFor();
    await page.getByText('created 2 vendors: Mail Inc and Cloud Ltd').waitFor();
    await expectGoodViews(page);
  });
});
