import { expect, test } from 'vitest';
import {
  describeInBrowser,
  expectAccessible,
  expectConsole,
  expectGoodViews,
  openAs,
} from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

type View = Parameters<typeof openAs>[2];

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
    const choose = async (label: string, option: string) => {
      await page.getByLabel(label).click();
      await page.getByRole('option', { name: option }).click();
    };
    await page.getByLabel('Title').fill('Review all access rights');
    await choose('Status', 'In progress');
    await choose('Priority', 'Urgent');
    await page.getByLabel('Due date').fill('2026-03-10');
    await page.getByLabel('Start date').fill('2026-03-01');
    await choose('Department', 'Security');
    await page.getByLabel('Labels').fill('access');
    await page.keyboard.press('Enter');
    await choose('Gaps', 'No access review');
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

  test('keeps the text of a failed save and says why', async () => {
    const { page, stored } = await openTask();
    expectConsole(/400|422/);
    await page.getByLabel('Title').fill('x'.repeat(256));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'expected text of 1 to 255 characters' }).waitFor();
    await page.getByLabel('Start date').fill('2026-04-01');
    await page.getByLabel('Start date').press('Enter');
    await page.getByRole('alert').nth(1).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('x'.repeat(256));
    expect(await page.getByLabel('Start date').inputValue()).toBe('2026-04-01');
    expect(await stored()).toMatchObject({ title: 'Review access rights', startDate: null, version: 1 });
    await page.getByLabel('Title').fill('Review');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toMatchObject({ title: 'Review', version: 2 });
  });

  test('shows both titles if two people change it at once, and takes the one that the person chooses', async () => {
    const { company, taskUniqueId, page, stored } = await openTask();
    const ben = await createMember(company, { name: 'Ben' });
    await page.getByLabel('Title').fill('Review rights of Ann');
    await ben.caller.task.update({ taskUniqueId, title: 'Review rights of Ben', priority: 1 });
    expectConsole(/412/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Somebody changed this' });
    await dialog.getByText('Review rights of Ben').waitFor();
    await dialog.getByText('Review rights of Ann').waitFor();
    await dialog.getByText('Urgent').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Review rights of Ann');
    await page.getByLabel('Title').press('Enter');
    await dialog.getByRole('button', { name: 'Use theirs' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Title').inputValue()).toBe('Review rights of Ben');
    expect(await page.getByLabel('Priority').inputValue()).toBe('Urgent');
    expect(await stored()).toMatchObject({ title: 'Review rights of Ben', version: 2 });
  });

  test('shows an earlier state without fields to edit, and goes back to now', async () => {
    const { ann, taskUniqueId, page } = await openTask();
    const { updatedAt } = await ann.caller.task.get({ taskUniqueId });
    await ann.caller.task.update({ taskUniqueId, title: 'Later title' });
    await page.goto(`${page.url()}?asOf=${encodeURIComponent(updatedAt)}`);
    await page.getByText('This is the task as it was').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Review access rights');
    expect(await page.getByLabel('Title').isEditable()).toBe(false);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await expectAccessible(page, 'task-as-of');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('heading', { name: 'Later title' }).waitFor();
    expect(await page.getByLabel('Title').isEditable()).toBe(true);
  });

  test('is deleted after a confirmation, and is then not found', async () => {
    const { page } = await openTask();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/tasks');
    expectConsole(/404/);
    await page.goBack();
    await page.getByRole('heading', { name: 'Task not found' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to the tasks' }).click();
    await page.waitForURL('**/tasks');
  });

  test('is read-only for an auditor', async () => {
    const { page } = await openTask('auditor');
    await page.getByText('created this task').waitFor();
    expect(await page.getByLabel('Title').isEditable()).toBe(false);
    expect(await page.getByLabel('Status').isEditable()).toBe(false);
    expect(await page.getByRole('textbox', { name: 'Description' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('is accessible in every view', async () => {
    const { page } = await openTask();
    await page.getByRole('textbox', { name: 'Description' }).waitFor();
    await page.getByText('created this task').waitFor();
    await expectGoodViews(page, 'task');
  });
});
