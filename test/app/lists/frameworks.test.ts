import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAs, openAsMember } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

describeInBrowser('the frameworks page', () => {
  test('is accessible in every view', async () => {
    const company = await createCompany();
    const old = await company.manage.framework.create({ name: 'ISO 27001:2013' });
    await company.manage.framework.archive({ id: old.id });
    const page = await openAs(await createMember(company), '/frameworks');
    for (const [tab, name] of [
      ['Frameworks', 'ISO 27001'],
      ['Gaps', 'No access review'],
      ['Departments', 'Security'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: tab }).click();
      await page.getByRole('cell', { name, exact: true }).waitFor();
      expect(await page.locator('.tabs [aria-current]').allTextContents()).toEqual([tab]);
      await expectGoodViews(page);
    }
    await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: 'Gaps' }).click();
    await page.getByRole('button', { name: 'New gap' }).click();
    await page.getByLabel('Framework').waitFor();
    await expectGoodViews(page);
  });

  test('creates a framework, a department and a gap, and shows their ids', async () => {
    const { ann, page } = await openAsMember('/frameworks');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Name').fill('SOC 2');
    await page.getByRole('button', { name: 'Save' }).click();
    const soc = page.getByRole('row').filter({ hasText: 'SOC 2' });
    await soc.waitFor();
    const { id } = (await ann.caller.management.framework.list()).find(({ name }) => name === 'SOC 2') ?? {};
    expect(await soc.locator('.mono').textContent()).toBe(String(id));

    const tabs = page.getByRole('navigation', { name: 'Lists' });
    await tabs.getByRole('link', { name: 'Departments' }).click();
    await page.getByRole('button', { name: 'New department' }).click();
    await page.getByLabel('Name').fill('Legal');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Legal', exact: true }).waitFor();

    await tabs.getByRole('link', { name: 'Gaps' }).click();
    await page.getByRole('button', { name: 'New gap' }).click();
    await page.getByLabel('Title').fill('No vendor reviews');
    await choose(page, 'Framework', 'SOC 2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'No vendor reviews' }).filter({ hasText: 'SOC 2' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=gaps');
    await choose(page, 'Framework', 'SOC 2');
    await page.getByText('1 gap', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe(`?tab=gaps&framework=${id}`);
  });

  test('changes the title of a gap, and removes filters one by one', async () => {
    const company = await createCompany();
    const page = await openAs(
      await createMember(company),
      `/frameworks?tab=gaps&q=access&framework=${company.framework}`,
    );
    await page.getByRole('button', { name: 'Edit No access review' }).click();
    await page.getByLabel('Title').fill('No review of access');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'No review of access', exact: true }).waitFor();
    expect(await company.manage.gap.list()).toMatchObject([{ title: 'No review of access' }]);

    await page.getByRole('button', { name: 'Remove filter Framework: ISO 27001' }).click();
    await page.getByRole('button', { name: 'Remove filter Search: access' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=gaps');
  });

  test('archives a framework, a gap and a department after a message, which can undo it', async () => {
    const company = await createCompany();
    const page = await openAs(await createMember(company), '/frameworks');
    const archivings = async () => {
      const { framework, gap, department } = company.manage;
      const lists = await Promise.all([framework.list(), gap.list(), department.list()]);
      return lists.map((list) => list.map(({ archivedAt }) => archivedAt !== null));
    };
    const framework = page.getByRole('cell', { name: 'ISO 27001', exact: true });
    await page.getByRole('button', { name: 'Archive ISO 27001' }).click();
    await page.getByText('“ISO 27001” was archived. Its tasks are kept.').waitFor();
    await page.getByText('0 frameworks').waitFor();
    expect(await framework.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await framework.waitFor();
    expect(await archivings()).toEqual([[false], [false], [false]]);

    await page.getByRole('button', { name: 'Archive ISO 27001' }).click();
    for (const [tab, name] of [
      ['Gaps', 'No access review'],
      ['Departments', 'Security'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: tab }).click();
      await page.getByRole('button', { name: `Archive ${name}` }).click();
      await page.getByText(`“${name}” was archived.`).waitFor();
    }
    await expect.poll(archivings).toEqual([[true], [true], [false]]);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await page.getByRole('cell', { name: 'Security (archived)', exact: true }).waitFor();
    expect(await archivings()).toEqual([[true], [true], [true]]);
  });

  test('is a list without buttons for an editor', async () => {
    const { page } = await openAsMember('/frameworks', { role: 'editor' });
    await page.getByRole('cell', { name: 'ISO 27001', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(New|Rename|Edit|Archive)/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Copy id of ISO 27001' }).count()).toBe(1);
  });
});
