import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';

/** A company with the admin Ann, who has a task, and the auditor Ben. */
async function createTask() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben', role: 'auditor' });
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: company.framework, title: 'Review' });
  return { company, ann, ben, taskUniqueId, path: `/tasks/${taskUniqueId}` };
}

describeInBrowser('"Watch"', () => {
  test('brings comments on a task to the inbox, and "Watching" ends it', async () => {
    const { company, ann, ben, taskUniqueId, path } = await createTask();
    const page = await openAs(ben, path);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    const watching = page.getByRole('button', { name: 'Watching', exact: true });
    await watching.waitFor();
    await expect.poll(() => ben.caller.watch.get({ taskUniqueId })).toEqual({ watching: true });
    await ann.caller.comment.create({ taskUniqueId, text: '<p>Done</p>' });
    await fillInboxes(company);
    expect((await ben.caller.inbox.list({})).items).toMatchObject([{ reason: 'commented', title: 'Review' }]);
    await watching.focus();
    await page.getByRole('tooltip').getByText('Click to stop.').waitFor();
    await expectAccessible(page);
    await watching.click();
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();
    await expect.poll(() => ben.caller.watch.get({ taskUniqueId })).toEqual({ watching: false });
  });

  test('works on a vendor, and shows that who created it watches it', async () => {
    const { ann, ben } = await createTask();
    const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
    const page = await openAs(ann, `/vendors/${vendor}`);
    await page.getByRole('button', { name: 'Watching', exact: true }).waitFor();
    const other = await openAs(ben, `/vendors/${vendor}`);
    await other.getByRole('button', { name: 'Watch', exact: true }).click();
    await expect.poll(() => ben.caller.watch.get({ vendor })).toEqual({ watching: true });
  });

  test('shows that a person who has just commented watches the task', async () => {
    const { company, taskUniqueId, path } = await createTask();
    const cleo = await createMember(company, { role: 'editor' });
    const page = await openAs(cleo, path);
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Comment' }).click();
    await page.getByRole('group', { name: 'Formatting' }).last().waitFor();
    await page.keyboard.type('I look at it.');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Watching', exact: true }).waitFor();
    expect(await cleo.caller.watch.get({ taskUniqueId })).toEqual({ watching: true });
  });

  test('says so if it fails, and shows the earlier state', async () => {
    const { ben, path } = await createTask();
    const page = await openAs(ben, path);
    expectConsole(/500/);
    await page.route('**/trpc/watch.set**', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('alert').getByText('Watching could not be changed').waitFor();
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();
  });
});
