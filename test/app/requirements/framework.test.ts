import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { createOutline, idOf } from '../../support/tenants/requirements.ts';

/** A company with a framework whose requirements are assessed, with overdue work and a gap. */
async function createAssessed() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ids = await createOutline(company, ann, { headings: 1, each: 4 });
  const { requirement, task } = ann.caller;
  await requirement.assess({ requirement: idOf(ids, 'A.5.1'), result: 'met', note: 'Signed by the board.' });
  await requirement.assess({ requirement: idOf(ids, 'A.5.2'), result: 'not_met' });
  await requirement.update({
    requirement: idOf(ids, 'A.5.3'),
    applicable: false,
    justification: 'We develop no software.',
  });
  await task.create({
    framework: company.framework,
    title: 'Write the policy',
    dueDate: '2026-01-05',
    assigneeId: ann.user.uniqueId,
    departmentId: company.department,
    requirements: [idOf(ids, 'A.5.2')],
  });
  return { company, ann, ids, path: `/frameworks/${company.framework}` };
}

describeInBrowser('the page of a framework', () => {
  test('is reached from the list, which has its owner, audit date, requirements and tasks', async () => {
    const { company, ann, path } = await createAssessed();
    const page = await openAs(ann, '/frameworks');
    await page.getByRole('button', { name: 'Edit ISO 27001' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit framework' });
    await dialog.getByRole('button', { name: 'Make me the owner' }).click();
    await dialog.getByLabel('Audit date').fill('2027-03-01');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'ISO 27001' });
    await row.getByText('Mar 1, 2027').waitFor();
    expect(await row.innerText()).toMatch(/Ann[^]*Mar 1, 2027[^]*1 of 3 met \(33 %\)[^]*1 open, 1 overdue/);
    expect(await company.manage.framework.list()).toMatchObject([{ owner: { name: 'Ann' }, auditDate: '2027-03-01' }]);

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
    const shares = page.getByRole('table', { name: 'Tasks by framework' });
    await shares.getByRole('link', { name: 'Requirements: 1 of 3 met (33 %)' }).click();
    await page.getByText('Next audit: Mar 1, 2027').waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('link', { name: 'ISO 27001' }).first().click();
    await page.getByText('Next audit: Mar 1, 2027').waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  });

  test('has its gaps, with requirement, status, owner and due date', async () => {
    const { company, ann, path } = await createAssessed();
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    await company.manage.gap.create({ framework: other.id, title: 'No vendor reviews' });
    const page = await openAs(ann, `${path}?tab=gaps`);
    await page.getByText('1 gap', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit No access review' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit gap' });
    await choose(page, 'Requirement', 'A.5.2 Policy 5.2');
    await dialog.getByRole('button', { name: 'Make me the owner' }).click();
    await dialog.getByLabel('Due date').fill('2026-01-05');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'No access review' });
    await row.getByText(/days overdue/).waitFor();
    expect(await row.innerText()).toMatch(/Open[^]*Ann[^]*A\.5\.2 Policy 5\.2/);
    await page.getByRole('button', { name: 'Edit No access review' }).click();
    await dialog.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Closed' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Closed').waitFor();
    expect(await row.getByText(/overdue/).count()).toBe(0);
    await choose(page, 'Status', 'Open');
    await page.getByText('No gaps match these filters.').waitFor();
    await expectGoodViews(page);
  });

  test('reports percentages, what got worse, and who has overdue work', async () => {
    const { ann, path } = await createAssessed();
    const page = await openAs(ann, `${path}?tab=report`);
    const bar = page.getByRole('img', { name: 'Requirements: 1 met, 0 partly met, 1 not met, 1 not assessed' });
    await bar.waitFor();
    const numbers = page.getByRole('table', { name: 'Numbers' });
    expect(await numbers.getByRole('row', { name: /^Requirements met/ }).innerText()).toContain('1 of 3 (33 %)');
    await page.getByText('No requirements got worse.').waitFor();
    const person = page.getByRole('table', { name: 'Overdue tasks by person' });
    expect(await person.getByRole('row').allInnerTexts()).toEqual([
      expect.anything(),
      expect.stringMatching(/Ann\s+1/),
    ]);
    await person.getByRole('link', { name: '1 overdue tasks of Ann' }).click();
    await page.getByRole('link', { name: 'Write the policy' }).waitFor();
  });

  test('states what applies and why, prints it whole, and exports it', async () => {
    const { ann, path } = await createAssessed();
    const page = await openAs(ann, `${path}?tab=applicability`);
    const table = page.getByRole('table', { name: 'Statement of applicability' });
    await table.getByRole('link', { name: 'A.5.4 Policy 5.4' }).waitFor();
    const rows = (await table.getByRole('row').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(rows).toEqual([
      'Requirement Applies Justification Status Owner',
      'A.5 Controls 5',
      expect.stringMatching(/^A\.5\.1 Policy 5\.1 Yes Met Ann, .* Signed by the board\.$/),
      expect.stringMatching(/^A\.5\.2 Policy 5\.2 Yes Not met Ann, /),
      'A.5.3 Policy 5.3 No We develop no software. Not applicable',
      'A.5.4 Policy 5.4 Yes Not assessed',
    ]);
    await expectGoodViews(page);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('heading', { level: 2, name: 'Statement of applicability' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Parts' }).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name: 'CSV with commas' }).click();
      })(),
    ]);
    expect(download.suggestedFilename()).toBe('ISO 27001 statement of applicability.csv');
  });

  test('says that a framework does not exist, or may not be seen', async () => {
    const company = await createCompany();
    const other = await company.manage.framework.create({ name: 'SOC 2' });
    const bea = await createMember(company, { name: 'Bea', role: 'editor', frameworks: [company.framework] });
    const page = await openAs(bea, `/frameworks/${other.id}`);
    await page.getByText('This framework does not exist, or you do not have access to it.').waitFor();
    await page.getByRole('link', { name: 'All frameworks' }).click();
    await page.getByRole('cell', { name: 'ISO 27001', exact: true }).waitFor();
    expect(await page.getByText('SOC 2').count()).toBe(0);
  });
});
