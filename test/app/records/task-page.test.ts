import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

type View = Parameters<typeof openAs>[2];

/** Everything that a person can fill in, apart from the switch of the timeline. */
const INPUTS = 'input:not([role=switch]), select, textarea, [contenteditable=true]';

/** A member who opened the page of a new task. */
async function openTask(role: 'admin' | 'auditor' = 'admin', view: View = {}) {
  const company = await createCompany();
  const ann = await createMember(company);
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({
    framework: company.framework,
    title: 'Review access rights',
    description: '<p>With the owner of <b>each</b> system.</p>',
    dueDate: '2026-03-03',
  });
  const reader = role === 'admin' ? ann : await createMember(company, { role, name: 'Cleo' });
  const page = await openAs(reader, `/tasks/${taskUniqueId}`, view);
  return { company, ann, taskUniqueId, page, stored: () => ann.caller.task.get({ taskUniqueId }) };
}

describeInBrowser('the page of a task', () => {
  test('saves every field when it is left', async () => {
    const { company, page, stored } = await openTask();
    await page.getByLabel('Title').fill('Review all access rights');
    await choose(page, 'Status', 'In progress');
    await choose(page, 'Priority', 'Urgent');
    await page.getByLabel('Due date').fill('2026-03-10');
    await page.getByLabel('Start date').fill('2026-03-01');
    await choose(page, 'Department', 'Security');
    await page.getByLabel('Labels').fill('access');
    await page.keyboard.press('Enter');
    await choose(page, 'Gaps', 'No access review');
    await expect.poll(stored).toMatchObject({
      title: 'Review all access rights',
      status: 'in_progress',
      priority: 1,
      dueDate: '2026-03-10',
      startDate: '2026-03-01',
      departmentId: company.department,
      labels: ['access'],
      gaps: [company.gap],
      description: '<p>With the owner of <b>each</b> system.</p>',
      version: 9,
    });
    await inOneMinute(company);
    await page.reload();
    await page.getByRole('button', { name: /^Ann changed the .* 8 times$/ }).click();
    await page.getByText('changed the due date from Mar 3, 2026 to Mar 10, 2026').waitFor();
    await page.getByText('set the department to Security').waitFor();
    await page.getByText('set the gaps to No access review').waitFor();
  });

  test('keeps the text of a failed save, says why, and saves it at another try', async () => {
    const { page, stored } = await openTask();
    expectConsole(/400|422|ERR_FAILED/);
    const title = page.getByLabel('Title');
    await title.fill('');
    await page.keyboard.press('Enter');
    const reason = 'Not saved. Expected text of 1 to 255 characters.';
    await page.getByRole('alert').filter({ hasText: reason }).waitFor();
    await page.getByLabel('Start date').fill('2026-04-01');
    await page.getByLabel('Start date').press('Enter');
    await page.getByRole('alert').filter({ hasText: 'is before start date' }).waitFor();
    expect(await title.inputValue()).toBe('');
    expect(await page.getByLabel('Start date').inputValue()).toBe('2026-04-01');
    expect(await stored()).toMatchObject({ title: 'Review access rights', startDate: null, version: 1 });
    await page.getByLabel('Start date').press('Escape');
    expect(await page.getByLabel('Start date').inputValue()).toBe('');
    await page.route('**/task.update*', (route) => route.abort());
    await title.fill('Review');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Not saved. The server cannot be reached.' }).waitFor();
    expect(await title.inputValue()).toBe('Review');
    await expectAccessible(page);
    await page.unroute('**/task.update*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await stored()).toMatchObject({ title: 'Review', version: 2 });
  });

  test('has one heading, which is the title: Enter saves it, Escape drops what was typed, and long titles wrap', async () => {
    const { page, stored } = await openTask();
    await page.getByRole('heading', { level: 1, name: 'Review access rights' }).waitFor();
    const title = page.getByRole('heading', { level: 1 }).getByRole('textbox', { name: 'Title' });
    await title.fill('Something else');
    await title.press('Escape');
    expect(await title.inputValue()).toBe('Review access rights');
    const longTitle = 'Review the access rights of administrators '.repeat(5).trim();
    await title.fill(longTitle.replace(' access', '\naccess'));
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ title: longTitle, version: 2 });
    expect(await page.locator('h1').count()).toBe(1);
    for (const width of [320, 600, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const hidden = await page.evaluate(
        '(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [scrollHeight - clientHeight, scrollWidth - clientWidth])(document.querySelector("h1 textarea"))',
      );
      expect(hidden).toEqual([0, 0]);
    }
  });

  test('asks for each field that two people changed, and merges the others', async () => {
    const { company, taskUniqueId, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben' });
    expectConsole(/412|ERR_FAILED/);
    await page.route('**/task.update*', (route) => route.abort());
    await page.getByLabel('Title').fill('Review rights of Ann');
    await page.getByLabel('Due date').fill('2026-03-10');
    await page.getByLabel('Due date').press('Enter');
    await page.getByRole('alert').nth(1).waitFor();
    await page.unroute('**/task.update*');
    await ben.caller.task.update({ taskUniqueId, title: 'Review rights of Ben', dueDate: '2026-05-05', priority: 1 });

    await page.getByRole('button', { name: 'Try again' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByText('Review rights of Ben').waitFor();
    await dialog.getByText('Review rights of Ann').waitFor();
    await dialog.getByText('Urgent').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'Not saved. Somebody else changed this field too.' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Review rights of Ann');

    await page.getByRole('button', { name: 'Try again' }).first().click();
    const choice = (field: string, name: string) =>
      dialog.getByRole('radiogroup', { name: field }).getByRole('radio', { name });
    expect(await choice('Title', 'Keep mine').isChecked()).toBe(true);
    await choice('Title', 'Use theirs').click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(stored).toMatchObject({
      title: 'Review rights of Ben',
      dueDate: '2026-03-10',
      priority: 1,
      version: 3,
    });
    expect(await page.getByLabel('Title').inputValue()).toBe('Review rights of Ben');
    expect(await page.getByLabel('Priority').inputValue()).toBe('Urgent');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('merges changes of different fields without a word', async () => {
    const { company, taskUniqueId, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben' });
    await ben.caller.task.update({ taskUniqueId, priority: 1, description: 'By Ben' });
    expectConsole(/412/);
    await page.getByLabel('Title').fill('Review rights of Ann');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ title: 'Review rights of Ann', priority: 1, description: 'By Ben' });
    expect(await page.getByLabel('Priority').inputValue()).toBe('Urgent');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('asks about a description that was typed before a merge brought the one of somebody else', async () => {
    const { company, taskUniqueId, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben' });
    expectConsole(/412|ERR_FAILED/);
    await page.route('**/task.update*', (route) => route.abort());
    await page.getByRole('textbox', { name: 'Description' }).press('Control+End');
    await page.keyboard.type(' By Ann.');
    await page.getByLabel('Title').focus();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/task.update*');
    await ben.caller.task.update({ taskUniqueId, description: 'By Ben' });
    await page.getByLabel('Title').fill('Review');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toMatchObject({ title: 'Review', description: 'By Ben' });
    await page.getByRole('button', { name: 'Try again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByRole('insertion').filter({ hasText: 'By Ann.' }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject({ description: '<p>With the owner of <b>each</b> system. By Ann.</p>' });
  });

  test('is given to a member who may see it, to nobody, or with "Assign to me" to the person who reads', async () => {
    const { company, ann, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben Berg', role: 'editor' });
    const other = await ann.caller.management.framework.create({ name: 'SOC 2' });
    await createMember(company, { name: 'Bea Borg', role: 'editor', frameworks: [other.id] });
    await page.reload();
    await page.getByLabel('Assignee').click();
    await page.getByRole('option', { name: 'Ben Berg' }).waitFor();
    expect((await page.getByRole('option').allInnerTexts()).map((text) => text.split('\n').at(-1)?.trim())).toEqual([
      'Me',
      'Nobody',
      'Ann',
      'Ben Berg',
    ]);
    await expectAccessible(page);
    await page.keyboard.type('berg');
    await page.getByRole('option', { name: 'Ben Berg' }).click();
    await page.getByText('set the assignee to Ben Berg').waitFor();
    expect((await stored()).assignee).toMatchObject({ uniqueId: ben.user.uniqueId, name: 'Ben Berg' });
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await expect.poll(async () => (await stored()).assignee?.uniqueId).toBe(ann.user.uniqueId);
    await expect.poll(() => page.getByLabel('Assignee').inputValue()).toBe('Ann');
    expect(await page.getByRole('button', { name: 'Assign to me' }).count()).toBe(0);
    await choose(page, 'Assignee', 'Nobody');
    await expect.poll(async () => (await stored()).assignee).toBeNull();
    await page.getByRole('button', { name: 'Assign to me' }).waitFor();
  });

  test('asks about an assignee whom two people changed, by their names', async () => {
    const { company, taskUniqueId, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben Berg' });
    await page.getByRole('button', { name: 'Assign to me' }).waitFor();
    await ben.caller.task.update({ taskUniqueId, assigneeId: ben.user.uniqueId });
    expectConsole(/412/);
    await page.getByRole('button', { name: 'Assign to me' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByText('Ben Berg').first().waitFor();
    await dialog.getByRole('radio', { name: 'Use theirs' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Assignee').inputValue()).toBe('Ben Berg');
    expect((await stored()).assignee).toMatchObject({ uniqueId: ben.user.uniqueId });
  });

  test('shows an earlier state as text, and goes back to now', async () => {
    const { ann, taskUniqueId, page } = await openTask();
    const { updatedAt } = await ann.caller.task.get({ taskUniqueId });
    await ann.caller.task.update({ taskUniqueId, title: 'Later title' });
    await ann.caller.comment.create({ taskUniqueId, text: '<p>Later comment</p>' });
    const url = 'https://example.com/later';
    await ann.caller.evidence.link({ taskUniqueId, url, name: 'Later link', date: '2026-01-01', note: '' });
    await page.goto(`${page.url()}?asOf=${encodeURIComponent(updatedAt)}`);
    await page.getByText('This is the task as it was').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Review access rights' }).waitFor();
    expect(await page.locator('.record').locator(INPUTS).count()).toBe(1);
    await page.getByText('There is no evidence yet.').waitFor();
    await page.getByText('created this task').waitFor();
    expect(await page.getByText(/Later/).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Properties' }).innerText()).not.toContain('overdue');
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('heading', { name: 'Later title' }).waitFor();
    expect(await page.getByLabel('Title').isEditable()).toBe(true);
  });

  test('asks for the title before closed work of others is deleted, and says what goes', async () => {
    const { company, ann, taskUniqueId, page } = await openTask();
    const ben = await createMember(company, { name: 'Ben Berg' });
    await ann.caller.task.update({ taskUniqueId, status: 'done', assigneeId: ben.user.uniqueId });
    await ann.caller.comment.create({ taskUniqueId, text: '<p>Checked</p>' });
    await page.reload();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this task?' });
    await dialog.getByText('0 pieces of evidence and 1 comment.').waitFor();
    await dialog.getByLabel('Title').fill('Another task');
    await dialog.getByRole('button', { name: 'Delete task' }).click();
    await dialog.getByText('Enter the title of the task.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Title').fill('Review access rights');
    await dialog.getByRole('button', { name: 'Delete task' }).click();
    await page.getByText('“Review access rights” was deleted.').waitFor();
  });

  test('is deleted when the message about it goes, and is then not found', async () => {
    const { page } = await openTask();
    await page.getByRole('button', { name: 'Delete' }).click();
    // Under the pointer the message stays.
    await page.getByRole('button', { name: 'Close the message' }).hover();
    await page.waitForURL('**/tasks');
    await page.goBack();
    await page.getByRole('heading', { name: 'Task not found' }).waitFor();
    expectConsole(/404/);
    const deletion = page.waitForResponse('**/trpc/task.delete');
    await page.getByRole('button', { name: 'Close the message' }).click();
    await deletion;
    await page.reload();
    await page.getByRole('heading', { name: 'Task not found' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to the tasks' }).click();
    await page.waitForURL('**/tasks');
  });

  test('shows its fields as text to an auditor, with the days since the due date', async () => {
    const { page } = await openTask('auditor', { width: 375 });
    await page.getByRole('button', { name: 'More facts' }).click();
    const regions = ['Properties', 'More facts'].map((name) => page.getByRole('region', { name }));
    const facts = (await Promise.all(regions.map((region) => region.innerText()))).join('\n');
    for (const text of [
      /Status\s+Todo/,
      /Assignee\s+None/,
      /Priority\s+Medium/,
      /Mar 3, 2026,\s+[\d,]+ days overdue/,
      /Department\s+None/,
    ])
      expect(facts).toMatch(text);
    expect(facts).toMatch(/Created\s+Ann,\s+\w+ \d+, \d{4}, \S+ [AP]M,\s+just now/);
    await page.getByText('With the owner of each system.').waitFor();
    // The time of an earlier state, and a comment or a question.
    expect(await page.locator('.record').locator(INPUTS).count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('has what people look for first in this order in a narrow window, and folds the rest', async () => {
    const { ann, taskUniqueId, page } = await openTask('admin', { width: 375 });
    await ann.caller.comment.create({ taskUniqueId, text: '<p>Checked</p>' });
    await page.reload();
    await page.getByText('Checked').waitFor();
    const parts = [
      page.getByLabel('Title'),
      page.getByLabel('Status'),
      page.getByLabel('Assignee'),
      page.getByLabel('Due date'),
      page.getByRole('textbox', { name: 'Description' }),
      page.getByRole('heading', { name: 'Evidence' }),
      page.getByRole('heading', { name: 'Comments' }),
      page.getByText('Checked'),
      page.getByRole('button', { name: 'More facts' }),
      page.getByRole('button', { name: 'Timeline' }),
    ];
    const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
    const tops = boxes.map((box) => box?.y ?? 0);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    const reached: string[] = [];
    await page.getByLabel('Title').focus();
    for (let count = 0; !reached.at(-1)?.startsWith('With the owner') && count < 30; count++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(
          '(document.activeElement.labels?.[0] ?? document.activeElement).textContent || document.activeElement.ariaLabel',
        ),
      );
    }
    expect(reached.slice(0, 4)).toEqual(['Status', 'Assignee', 'Assign to me', 'Due date']);
    expect(reached.at(-1)).toContain('With the owner');
    await page.getByText(/days overdue/).waitFor();
    expect(await page.getByLabel('Priority').count()).toBe(0);
    expect(await page.getByText('created this task').count()).toBe(0);
    await page.getByRole('button', { name: 'More facts' }).click();
    await choose(page, 'Priority', 'Urgent');
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByText('created this task').waitFor();
    await page.getByText('changed the priority').waitFor();
    expect(await page.getByText('Checked').count()).toBe(1);
    await expectAccessible(page);
  });

  test('shows texts in their own direction, and wide parts that the keyboard scrolls in themselves', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const cell = '<td>Availability of authentication</td>';
    const { uniqueId } = await ann.caller.task.create({
      framework: company.framework,
      title: 'مراجعة حقوق الوصول',
      description: `<p>مع المالك</p><table><tbody><tr>${cell.repeat(5)}</tr></tbody></table><pre>${'command '.repeat(30)}</pre>`,
    });
    const reader = await createMember(company, { role: 'auditor' });
    const page = await openAs(reader, `/tasks/${uniqueId}`, { width: 375 });
    await page.getByRole('heading', { level: 1, name: 'مراجعة حقوق الوصول' }).waitFor();
    const directionOf = (element: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${element}')).direction`);
    expect(await directionOf('h1')).toBe('rtl');
    expect(await directionOf('.rich-text p')).toBe('rtl');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    for (const name of ['Wide table', 'Wide text']) {
      const part = page.getByRole('group', { name });
      await part.focus();
      await expect
        .poll(async () => {
          await page.keyboard.press('ArrowLeft');
          return page.evaluate<number>('Math.abs(document.activeElement.scrollLeft)');
        })
        .toBeGreaterThan(0);
    }
    // Each word is on one line.
    expect(
      await page.evaluate(
        '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("td"))',
      ),
    ).toBe(0);
    await expectAccessible(page);
  });

  test('has what only the API needs behind a button', async () => {
    const { page, taskUniqueId } = await openTask();
    await page.getByText('created this task').waitFor();
    expect(await page.getByText('Version').count()).toBe(0);
    await page.getByRole('button', { name: 'Details for integrators' }).click();
    await page.getByText(taskUniqueId).waitFor();
    await page.getByText('Version').waitFor();
    await expectAccessible(page);
  });

  test('is accessible in every view', async () => {
    const { page } = await openTask();
    await page.getByRole('textbox', { name: 'Description' }).waitFor();
    await page.getByText('created this task').waitFor();
    await expectGoodViews(page);
  });
});
