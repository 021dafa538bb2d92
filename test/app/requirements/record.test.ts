import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { fillInboxes } from '../../support/tenants/inbox.ts';
import { createMember } from '../../support/tenants/member.ts';
import { createOutline, idOf } from '../../support/tenants/requirements.ts';

/** A member who opened the page of a requirement. */
async function openRequirement(role: 'admin' | 'editor' | 'auditor' = 'admin') {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ids = await createOutline(company, ann, { headings: 1, each: 3 });
  const requirement = idOf(ids, 'A.5.1');
  const reader = role === 'admin' ? ann : await createMember(company, { name: 'Bea', role });
  const page = await openAs(reader, `/requirements/${requirement}`);
  await page.getByText(/created this requirement/).waitFor();
  return { company, ann, ids, requirement, page, stored: () => ann.caller.requirement.get({ requirement }) };
}

describeInBrowser('the page of a requirement', () => {
  test('saves its fields, excludes it with a justification, and shows both in the history', async () => {
    const { company, page, stored } = await openRequirement();
    await page.getByRole('textbox', { name: 'Title' }).fill('Policies for information security');
    await page.getByRole('button', { name: 'Make me the owner' }).click();
    await expect.poll(stored).toMatchObject({ title: 'Policies for information security', owner: { name: 'Ann' } });
    await choose(page, 'Applicable', 'No');
    const dialog = page.getByRole('dialog', { name: 'A.5.1 does not apply' });
    expectConsole(/422/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Expected why the requirement does not apply').waitFor();
    await dialog.getByLabel('Justification').fill('We develop no software.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Not applicable').first().waitFor();
    expect(await stored()).toMatchObject({
      applicable: false,
      justification: 'We develop no software.',
      status: 'not_applicable',
    });
    await inOneMinute(company);
    await page.reload();
    await page.getByText('changed the title, owner, applicable, and justification 3 times').waitFor();
  });

  test('of a heading leads to those below it, with their status', async () => {
    const { ids, ann } = await openRequirement();
    const page = await openAs(ann, `/requirements/${idOf(ids, 'A.5')}`);
    const below = page.getByRole('region', { name: 'Requirements below' });
    await expect
      .poll(() => below.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^A\.5\.1 .*Not assessed/s),
        expect.stringMatching(/^A\.5\.2 .*Not assessed/s),
        expect.stringMatching(/^A\.5\.3 .*Not assessed/s),
      ]);
    await below.getByRole('link', { name: /^A\.5\.2/ }).click();
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
  });

  test('is assessed with a note, which the history shows, and withdrawn', async () => {
    const { company, page, stored } = await openRequirement();
    await page.getByRole('button', { name: 'Assess' }).click();
    const dialog = page.getByRole('dialog', { name: 'Assess A.5.1 Policy 5.1' });
    await dialog.getByRole('radio', { name: 'Partly met' }).click();
    await dialog.getByLabel('Note').fill('The policy is not signed.');
    await dialog.getByRole('button', { name: 'Save assessment' }).click();
    await page.getByText('A.5.1 was assessed.').waitFor();
    await page.getByText('Ann assessed this requirement as partly met').waitFor();
    await page.getByText('The policy is not signed.').first().waitFor();
    expect(await stored()).toMatchObject({ assessment: { result: 'partly_met', note: 'The policy is not signed.' } });
    await page.getByRole('button', { name: 'Assess' }).click();
    await dialog.getByRole('radio', { name: 'Withdraw the assessment' }).click();
    await dialog.getByRole('button', { name: 'Save assessment' }).click();
    await expect.poll(stored).toMatchObject({ assessment: null, status: 'not_assessed' });
    await inOneMinute(company);
    await page.reload();
    await page.getByRole('button', { name: 'Ann assessed this requirement 2 times' }).click();
    await page.getByText('withdrew the assessment of this requirement').waitFor();
  });

  test('makes a task, and links tasks of other frameworks', async () => {
    const { company, ann, requirement, page } = await openRequirement();
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    for (const title of ['Review access rights', 'Review the logs'])
      await ann.caller.task.create({ framework: other.id, title });
    await page.reload();
    await page.getByRole('button', { name: 'Link tasks' }).click();
    const linking = page.getByRole('dialog', { name: 'Link tasks to A.5.1' });
    await linking.getByRole('combobox', { name: 'Tasks' }).fill('access');
    await page.getByRole('option', { name: 'Review access rights (SOC 2)' }).click();
    await page.keyboard.press('Escape');
    await linking.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByText('1 task linked to A.5.1.').waitFor();
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(await tasks.getByText('SOC 2').count()).toBe(1);

    await page.getByRole('button', { name: 'New task' }).click();
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.getByLabel('Title').fill('Write the policy');
    await dialog.getByText('A.5.1 Policy 5.1').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Write the policy' }).waitFor();
    const { items = [] } = await ann.caller.task.listAll({ requirement, sort: 'createdAt', limit: 10 });
    expect(items.map(({ title, framework }) => [title, framework])).toEqual([
      ['Review access rights', other.id],
      ['Write the policy', company.framework],
    ]);
  });

  test('is a field of a task, which finds the requirements of each framework', async () => {
    const { company, ann, ids, requirement } = await openRequirement();
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    const criterion = await ann.caller.requirement.create({
      framework: other.id,
      ref: 'CC6.1',
      title: 'Logical access',
    });
    const task = await ann.caller.task.create({
      framework: company.framework,
      title: 'Review access rights',
      requirements: [requirement],
    });
    const page = await openAs(ann, `/tasks/${task.uniqueId}`);
    await page.getByRole('link', { name: 'A.5.1 Policy 5.1' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Requirements', exact: true });
    await field.fill('5.3');
    await page.getByRole('option', { name: 'A.5.3 Policy 5.3' }).click();
    const stored = async () => (await ann.caller.task.get({ taskUniqueId: task.uniqueId })).requirements;
    await expect.poll(stored).toEqual([requirement, idOf(ids, 'A.5.3')]);
    await page.getByLabel('Requirements of').selectOption('SOC 2');
    await field.fill('logical');
    await page.getByRole('option', { name: 'CC6.1 Logical access' }).click();
    await expect.poll(stored).toEqual([requirement, idOf(ids, 'A.5.3'), criterion.uniqueId]);
    await page.keyboard.press('Escape');
    await page.getByText(/changed the requirements/).waitFor();
    await page.getByRole('link', { name: 'A.5.1 Policy 5.1' }).first().click();
    await page.getByRole('link', { name: 'Back to ISO 27001' }).waitFor();
  });

  test('leads back from an item of the inbox, and has comments and evidence', async () => {
    const { company, ann, requirement } = await openRequirement();
    const ben = await createMember(company, { name: 'Ben' });
    await ann.caller.requirement.update({ requirement, ownerId: ben.user.uniqueId });
    await ann.caller.evidence.link({ requirement, url: 'https://example.com/policy', name: 'The policy' });
    await fillInboxes(company);
    const page = await openAs(ben, '/inbox');
    await page.getByRole('link', { name: 'A.5.1 Policy 5.1' }).click();
    await page.getByRole('button', { name: 'The policy', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Comment' }).click();
    await page.keyboard.type('Is this the last version?');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'Is this the last version?' }).waitFor();
    const { items } = await ann.caller.comment.list({ requirement });
    expect(items).toHaveLength(1);
  });

  test('is deleted by an admin, and then says that it does not exist', async () => {
    const { company, ann, page } = await openRequirement();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“A.5.1 Policy 5.1” was deleted.').waitFor();
    await page.getByRole('link', { name: 'A.5.2 Policy 5.2' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/frameworks/${company.framework}`);
    expect(await page.getByRole('link', { name: 'A.5.1 Policy 5.1' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await expect
      .poll(async () => (await ann.caller.requirement.list({ framework: company.framework })).items.length)
      .toBe(3);
  });

  test.each(['editor', 'auditor'] as const)('shows an %s only what they may do', async (role) => {
    const { page } = await openRequirement(role);
    const canWrite = role === 'editor';
    expect(await page.getByRole('button', { name: 'Assess' }).count()).toBe(canWrite ? 1 : 0);
    expect(await page.getByRole('button', { name: 'Link tasks' }).count()).toBe(canWrite ? 1 : 0);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    if (!canWrite)
      expect(await page.getByRole('region', { name: 'Properties' }).locator('input, textarea').count()).toBe(0);
  });

  test('is accessible in every view', async () => {
    const { page } = await openRequirement();
    await expectGoodViews(page);
    await page.getByRole('button', { name: 'Assess' }).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodViews(page);
  });
});
