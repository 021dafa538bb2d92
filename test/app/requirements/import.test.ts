import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { runImports } from '../../support/tenants/imports.ts';
import { createMember } from '../../support/tenants/member.ts';
import { createOutline } from '../../support/tenants/requirements.ts';

const CATALOG = {
  catalog: {
    groups: [
      {
        id: 'ac',
        title: 'Access control',
        controls: [
          { id: 'ac-1', title: 'Policy and procedures', parts: [{ name: 'statement', prose: 'Write a policy.' }] },
          {
            id: 'ac-2',
            title: 'Account management',
            controls: [
              { id: 'ac-2.1', title: 'Automated account management' },
              { id: 'ac-2.2', title: 'Gone', props: [{ name: 'status', value: 'withdrawn' }] },
            ],
          },
        ],
      },
    ],
  },
};

async function openImport() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  return { company, ann, path: `/frameworks/${company.framework}` };
}

const choose = (page: Page, name: string, content: string) =>
  page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Starts a dry run or an import with a button and waits for its end. */
async function run(page: Page, company: { id: number }, button: string): Promise<void> {
  await click(page, button);
  await page.getByText('The file is waiting for its turn.').waitFor();
  await runImports(company);
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
}

const counts = async (page: Page) =>
  (await page.locator('.transfer .counts > div').allTextContents()).map((text) => text.replace(/(\D)(\d)/, '$1: $2'));

describeInBrowser('the import of requirements', () => {
  test('shows a catalog and what it would change before it is written', async () => {
    const { company, ann, path } = await openImport();
    const page = await openAs(ann, path);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    expect(new URL(page.url()).search).toBe(`?kind=requirement&framework=${company.framework}`);
    await choose(page, 'catalog.json', JSON.stringify(CATALOG));
    await page.getByText('The catalog has 3 controls under 1 heading.').waitFor();
    const outline = page.getByRole('region', { name: 'Outline of the catalog' });
    expect(await outline.getByRole('listitem').allTextContents()).toEqual([
      'AC Access control',
      'AC-1 Policy and procedures',
      'AC-2 Account management',
      'AC-2.1 Automated account management',
    ]);
    await expectGoodViews(page);
    await run(page, company, 'Continue');
    expect(await counts(page)).toMatchObject(['Rows: 4', 'Would be created: 4', {}, {}, {}, {}]);
    expect((await ann.caller.requirement.list({ framework: company.framework })).items).toEqual([]);
    await run(page, company, 'Import');
    expect(await counts(page)).toMatchObject(['Rows: 4', 'Created: 4', {}, {}, {}, {}]);
    await page.getByRole('link', { name: 'All requirements' }).click();
    await page.getByRole('link', { name: 'AC-2.1 Automated account management' }).waitFor();
    const { items } = await ann.caller.requirement.list({ framework: company.framework });
    expect(items.map(({ ref, description }) => [ref, description])).toContainEqual(['AC-1', '<p>Write a policy.</p>']);
  });

  test('says why a file is no catalog', async () => {
    const { ann, path } = await openImport();
    const page = await openAs(ann, path);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await choose(page, 'list.json', '{"controls": []}');
    await page.getByText(/The file is not an OSCAL catalog that can be imported/).waitFor();
    await choose(page, 'list.json', '{"catalog": {"controls": [{"title": "No id"}]}}');
    await page.getByText(/catalog\.controls\[0\]: expected an id/).waitFor();
    expect(await page.getByRole('region', { name: 'Outline of the catalog' }).count()).toBe(0);
  });

  test('takes a table by the ref of its rows, with the values that do not fit', async () => {
    const { company, ann, path } = await openImport();
    await createOutline(company, ann, { headings: 1, each: 2 });
    const page = await openAs(ann, path);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await choose(page, 'list.csv', 'Ref,Title,Parent,Owner\na.5.1,Policies,A.5,Ann\nA.5.3,Roles,A.5,Nobody known\n');
    await click(page, 'Continue');
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
    expect(await page.getByLabel('Field of Parent').inputValue()).toBe('parentRef');
    await run(page, company, 'Check');
    await page.getByRole('heading', { name: 'Values' }).waitFor();
    await page.getByText('Nobody known').waitFor();
    await click(page, 'Continue');
    await expect
      .poll(() => counts(page))
      .toMatchObject(['Rows: 2', 'Would be created: 1', 'Would be changed: 1', {}, {}, {}]);
    await run(page, company, 'Import');
    const { items } = await ann.caller.requirement.list({ framework: company.framework });
    expect(items.map(({ ref, title, owner }) => [ref, title, owner?.name])).toEqual([
      ['A.5', 'Controls 5', undefined],
      ['A.5.1', 'Policies', 'Ann'],
      ['A.5.2', 'Policy 5.2', undefined],
      ['A.5.3', 'Roles', undefined],
    ]);
  });
});
