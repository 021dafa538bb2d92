import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** A member with 103 open tasks and a closed one in the first framework, and two in the second one. */
async function createOwner() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee' });
  const ben = await createMember(company, { name: 'Ben Berg', role: 'editor' });
  const bea = await createMember(company, { name: 'Bea Borg', role: 'editor', frameworks: [company.framework] });
  const { id: soc } = await ann.caller.management.framework.create({ name: 'SOC 2' });
  const assigneeId = ben.user.uniqueId;
  const create = (framework: number, count: number) =>
    ann.caller.task.batch({
      items: Array.from({ length: count }, (_, index) => ({
        op: 'create' as const,
        framework,
        body: { title: `Task ${index}`, assigneeId },
      })),
    });
  await create(company.framework, 100);
  await create(company.framework, 4);
  await create(soc, 2);
  const closed = await ann.caller.task.listAll({
    assignee: assigneeId,
    limit: 1,
    framework: String(company.framework),
  });
  await ann.caller.task.update({ taskUniqueId: closed.items?.[0]?.uniqueId ?? '', status: 'done' });
  const countOf = async ({ user }: typeof ben, status: 'open' | 'todo' | 'done' = 'open') =>
    (await ann.caller.task.listAll({ assignee: user.uniqueId, status })).total;
  return { company, ann, ben, bea, soc, countOf };
}

describeInBrowser('the page of a member', () => {
  test('shows what the member owns, and hands it over to another member, with Undo', async () => {
    const { ann, ben, soc, countOf } = await createOwner();
    const page = await openAs(ann, '/members');
    await page.getByRole('link', { name: 'Ben Berg' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ben Berg' }).waitFor();
    const table = page.getByRole('table', { name: 'Open tasks by framework' });
    await table.getByRole('row', { name: /^ISO 27001\s+103$/ }).waitFor();
    const link = table.getByRole('row', { name: /^SOC 2\s+2$/ }).getByRole('link');
    const { pathname, searchParams } = new URL((await link.getAttribute('href')) ?? '', 'http://localhost');
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      '/tasks',
      { assignee: ben.user.uniqueId, status: 'open', framework: String(soc) },
    ]);
    await expectGoodViews(page);
    await page.getByRole('button', { name: 'Hand over' }).click();
    const dialog = page.getByRole('dialog');
    await choose(page, 'Hand over to', 'Me');
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await page.getByText('105 tasks of Ben Berg were handed over to Ann Lee.').waitFor();
    await page.getByText('Ben Berg has no open tasks.').waitFor();
    expect([await countOf(ann), await countOf(ben), await countOf(ben, 'done')]).toEqual([105, 0, 1]);
    expect(await page.getByRole('button', { name: 'Hand over' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 105 tasks was undone.').waitFor();
    expect([await countOf(ann), await countOf(ben)]).toEqual([0, 105]);
  });

  test('names the tasks that another member may not see, which stay', async () => {
    const { ann, ben, bea, countOf } = await createOwner();
    const page = await openAs(ann, `/members/${ben.user.uniqueId}`);
    await page.getByRole('button', { name: 'Hand over' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await dialog.getByRole('alert').getByText('Choose a member first.').waitFor();
    await page.getByLabel('Hand over to').click();
    await page.getByRole('option', { name: 'Bea Borg' }).waitFor();
    expect(await page.getByRole('option', { name: /Ben Berg|Nobody/ }).count()).toBe(0);
    await page.getByRole('option', { name: 'Bea Borg' }).click();
    await dialog.getByText('Bea Borg does not have access to SOC 2: 2 open tasks stay with Ben Berg.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await page.getByText('103 tasks of Ben Berg were handed over to Bea Borg.').waitFor();
    expect([await countOf(bea), await countOf(ben)]).toEqual([103, 2]);
  });

  test('lists the tasks that could not be handed over, with the reason', async () => {
    const { company, ann, countOf } = await createOwner();
    const cleo = await createMember(company, { name: 'Cleo Cruz' });
    await ann.caller.task.create({ framework: company.framework, title: 'Restore', assigneeId: cleo.user.uniqueId });
    const dan = await createMember(company, { name: 'Dan Doe' });
    const page = await openAs(ann, `/members/${cleo.user.uniqueId}`);
    await page.getByRole('button', { name: 'Hand over' }).click();
    await choose(page, 'Hand over to', 'Dan Doe');
    await ann.caller.management.member.end({ uniqueId: dan.user.uniqueId });
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    const alert = page.getByRole('alert').filter({ hasText: '1 task could not be handed over' });
    await alert.getByText('It stays with Cleo Cruz.').waitFor();
    await alert.getByText(/^Restore: Assignee/).waitFor();
    expect(await countOf(cleo)).toBe(1);
  });

  test('offers to hand over when the membership ends', async () => {
    const { ann, ben, bea, countOf } = await createOwner();
    const page = await openAs(ann, `/members/${ben.user.uniqueId}`);
    await page.getByRole('button', { name: 'Actions for Ben Berg' }).click();
    await page.getByRole('menuitem', { name: 'End membership' }).click();
    await choose(page, 'Hand over 105 open tasks to', 'Bea Borg');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'End membership' }).click();
    await page.getByText('103 tasks of Ben Berg were handed over to Bea Borg.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('complementary', { name: 'Properties' }).getByText('Ended').waitFor();
    expect([await countOf(bea), await countOf(ben)]).toEqual([103, 2]);
    await page.getByRole('button', { name: 'Hand over' }).waitFor();
  });

  test('has no button for an editor, and says that a member does not exist', async () => {
    const { ben, bea } = await createOwner();
    const page = await openAs(bea, `/members/${ben.user.uniqueId}`);
    await page.getByRole('row', { name: /^ISO 27001\s+103$/ }).waitFor();
    expect(await page.getByRole('button', { name: /Hand over|Actions/ }).count()).toBe(0);
    await page.goto(page.url().replace(/[^/]+$/, 'nobody'));
    await page.getByRole('heading', { name: 'Member not found' }).waitFor();
    expectConsole(/404/);
  });
});
