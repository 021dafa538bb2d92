import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ImportRunner } from '../../procedures/import/job.ts';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import {
  choose as select,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
} from '../support/app/application.ts';
import { database } from '../support/database/database.ts';
import { day, writeOds, writeXlsx } from '../support/app/spreadsheets.ts';
import type { TestRows } from '../support/app/spreadsheets.ts';
import { writeZip } from '../support/proof/zip.ts';
import { createCompany } from '../support/tenants/company.ts';
import { VENDORS, runImports } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';

const choose = (page: Page, name: string, content: string | Buffer) =>
  page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Chooses a file and goes to the step "Columns". */
async function openColumns(page: Page, name: string, content: string | Buffer): Promise<void> {
  await choose(page, name, content);
  await click(page, 'Continue');
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
}

/** Starts a dry run with a button and waits for its end. */
async function runCheck(page: Page, company: { id: number }, button: string): Promise<void> {
  await click(page, button);
  await page.getByText('The file is waiting for its turn.').waitFor();
  await runImports(company);
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
  await page
    .getByText('Would be created')
    .or(page.getByRole('heading', { name: 'Values' }))
    .first()
    .waitFor();
}

const rejectedRows = (page: Page) => page.getByRole('region', { name: 'Rejected rows' });

/** Cells of a row of a list; the first one is 1. */
async function cellsIn(list: Locator, row: number): Promise<string[]> {
  const cells = list.getByRole('row').nth(row).getByRole('cell');
  await cells.first().waitFor();
  return cells.allTextContents();
}

/** Numbers of the result by their names. */
const counts = async (page: Page) =>
  (await page.locator('.transfer .counts > div').allTextContents()).map((text) => text.replace(/(\D)(\d)/, '$1: $2'));

async function save(page: Page, start: () => Promise<void>) {
  const saved = page.waitForEvent('download');
  await start();
  const file = await saved;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

describeInBrowser('an import in five steps', () => {
  test('names the columns, asks what values become, shows what is rejected, and imports the rest', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports', { role: 'editor' });
    const bo = await createMember(acme, { name: 'Bo Berg' });
    const steps = page.getByRole('list', { name: 'Steps of the import' });
    await steps.waitFor();
    expect(await steps.getByRole('listitem').allTextContents()).toEqual([
      '1File',
      '2Columns',
      '3Values',
      '4Check',
      '5Import',
    ]);
    await openColumns(
      page,
      'suppliers.csv',
      'Supplier;Notes;State;Owner;Colour\r\n"Cloud; Ltd";"two\r\nlines";active;Bo;red\r\nMail Inc;;sleeping;Bo;\r\nPaper Co;;archived;Cy;\r\n;x;active;;\r\n',
    );
    expect(await page.locator(':focus').textContent()).toBe('Columns');
    const columns = page.getByRole('table', { name: 'Columns of the file' });
    const names = ['Supplier', 'Notes', 'State', 'Owner', 'Colour'];
    expect(await columns.getByRole('rowheader').allTextContents()).toEqual(names);
    expect(await columns.getByRole('row').nth(1).getByRole('cell').first().locator('span').allTextContents()).toEqual([
      'Cloud; Ltd',
      'Mail Inc',
      'Paper Co',
    ]);
    const fields = async () => Promise.all(names.map((column) => page.getByLabel(`Field of ${column}`).inputValue()));
    expect(await fields()).toEqual(['name', 'description', 'status', 'ownerId', '']);
    await page.getByText('1 column is left out.').waitFor();
    await expectGoodViews(page);

    await runCheck(page, acme, 'Check');
    const values = page.getByRole('table', { name: 'Values that cannot be imported' });
    await values.waitFor();
    expect(await values.getByRole('rowheader').allTextContents()).toEqual([
      'BoOwner, 2 rows',
      'sleepingStatus, 1 row',
      'CyOwner, 1 row',
    ]);
    expect(await cellsIn(values, 1)).toMatchObject([
      'No active member has this name or email, or several members do.',
      {},
    ]);
    expect(await cellsIn(values, 2)).toMatchObject(['Expected Active, Inactive, or Archived.', {}]);
    await expectGoodViews(page);
    await select(page, 'Owner in place of Bo', 'Bo Berg');
    await select(page, 'Status in place of sleeping', 'Inactive');
    await runCheck(page, acme, 'Continue');
    expect(await counts(page)).toEqual([
      'Rows: 4',
      'Would be created: 3',
      'Would be changed: 0',
      'Would stay unchanged: 0',
      'Would be skipped: 0',
      'Would be rejected: 1',
    ]);
    await rejectedRows(page).waitFor();
    expect(await rejectedRows(page).locator('caption').allTextContents()).toEqual(['Name: 1 row']);
    expect(await cellsIn(rejectedRows(page), 1)).toEqual(['', 'Line 6', 'Required.']);
    const leftOut = page.getByRole('region', { name: 'Values that are left out' });
    expect(await leftOut.locator('caption').allTextContents()).toEqual(['Owner: 1 row, 1 name']);
    expect(await cellsIn(leftOut, 1)).toMatchObject(['Cy', 'Line 5', {}]);
    expect(await ann.caller.vendor.list()).toEqual([]);
    await expectGoodViews(page);

    await click(page, 'Back');
    await page.getByRole('heading', { name: 'Values' }).waitFor();
    await click(page, 'Back');
    await page.getByRole('heading', { name: 'Columns' }).waitFor();
    expect(await fields()).toEqual(['name', 'description', 'status', 'ownerId', '']);
    await page.getByLabel('Field of Notes').selectOption('Leave out');
    await click(page, 'Back');
    expect(await page.getByLabel('File').inputValue()).toContain('suppliers.csv');
    await page.getByText('suppliers.csv has 4 rows below the first.').waitFor();
    await click(page, 'Continue');
    expect(await fields()).toEqual(['name', '', 'status', 'ownerId', '']);
    await runCheck(page, acme, 'Check');
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('The rows without an error were imported.').waitFor();
    expect(await counts(page)).toContain('Created: 3');
    const { items } = await ann.caller.vendor.page({ view: 'full', limit: 10 });
    expect(items).toMatchObject([
      { name: 'Cloud; Ltd', status: 'active', description: '', owner: { uniqueId: bo.uniqueId } },
      { name: 'Mail Inc', status: 'inactive' },
      { name: 'Paper Co', status: 'archived', owner: null },
    ]);
    await page.getByRole('link', { name: 'Paper Co' }).waitFor();
    await expectGoodViews(page);
    await click(page, 'Import another file');
    await page.getByRole('heading', { name: 'File' }).waitFor();
    expect(new URL(page.url()).search).toBe('');

    await openColumns(page, 'others.csv', 'Supplier,Owner\nInk Ltd,Bo\n');
    await runCheck(page, acme, 'Check');
    expect(await page.getByLabel('Owner in place of Bo').and(page.getByRole('combobox')).inputValue()).toContain(
      'Bo Berg',
    );
    await runCheck(page, acme, 'Continue');
    expect(await counts(page)).toContain('Would be created: 1');
    expect(await page.getByRole('region', { name: 'Values that are left out' }).count()).toBe(0);
  });

  test('takes a file that is dropped, asks for the column of the name, and rejects two columns for one field', async () => {
    const { page } = await openAsMember('/imports');
    await page.getByLabel('File').waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Who,Where\\nCloud Ltd,Berlin\\n'], 'vendors.csv'));
      return transfer;
    })()`);
    await page.locator('.file-drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('vendors.csv has 1 row below the first.').waitFor();
    await page.getByText('The headings do not show what the rows are. Choose the kind.').waitFor();
    await click(page, 'Continue');
    await page.getByText('Choose what the rows are.').waitFor();
    await select(page, 'Kind', 'Vendors');
    await click(page, 'Continue');
    await page.getByText('Every vendor needs a name.').waitFor();
    await click(page, 'Check');
    await page.getByRole('alert').getByText('Every vendor needs a name. Choose the column that contains it.').waitFor();
    await page.getByLabel('Field of Who').selectOption('Name');
    await page.getByLabel('Field of Where').selectOption('Name');
    await page.getByText('Another column has the same field. Change one of them.').first().waitFor();
    await click(page, 'Check');
    await expectAccessible(page);
    expect(new URL(page.url()).search).toBe('');
    await page.getByLabel('Field of Where').selectOption('Leave out');
    expect(await page.getByText('Another column has the same field.').count()).toBe(0);
  });

  test('recognizes tasks and requirements by their headings, and takes the kind and framework of the page', async () => {
    const { company: acme, page } = await openAsMember('/imports');
    const kind = page.getByLabel('Kind').and(page.getByRole('combobox'));
    const framework = page.getByLabel('Framework').and(page.getByRole('combobox'));
    await choose(page, 'list.csv', 'Title,Due date\nReview,2026-12-24\n');
    await expect.poll(() => kind.inputValue()).toBe('Tasks');
    await expect.poll(() => framework.inputValue()).toBe('ISO 27001');
    await choose(page, 'list.csv', 'Ref,Title\nA.5,Policies\n');
    await expect.poll(() => kind.inputValue()).toBe('Requirements');
    await expect.poll(() => framework.inputValue()).toBe('ISO 27001');
    await acme.manage.framework.create({ name: 'SOC 2' });
    await page.goto(`${page.url()}?kind=task&framework=${acme.framework}`);
    await expect.poll(() => kind.inputValue()).toBe('Tasks');
    await expect.poll(() => framework.inputValue()).toBe('ISO 27001');
  });

  test('changes the vendors whose ids of a system are known, and keeps what the file leaves empty', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await ann.caller.vendor.import({
      content: 'externalId,name,description\nV-1,Cloud Ltd,Hosting\n',
      source: 'erp',
    });
    await runImports(acme);
    await openColumns(page, 'vendors.csv', 'Key,Vendor,Notes\nV-1,Cloud Inc,\nV-2,Mail Inc,\n');
    await page.getByText('Without a source, the ids are left out.').waitFor();
    await page.getByLabel('Source').fill('erp');
    await page.getByLabel('Empty cells and missing columns').selectOption('Keep the current value');
    await runCheck(page, acme, 'Check');
    expect(await counts(page)).toMatchObject(['Rows: 2', 'Would be created: 1', 'Would be changed: 1', {}, {}, {}]);
    await click(page, 'Back');
    expect(await page.getByLabel('Source').inputValue()).toBe('erp');
    await page.getByLabel('Source').fill('crm');
    await page.goBack();
    await page.getByText('This page no longer has the file and the columns of this check.').waitFor();
    await click(page, 'Back');
    await page.getByLabel('Source').fill('erp');
    await page.goBack();
    await page.getByLabel('All or nothing').check();
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.vendor.page({ limit: 10 });
    expect(items.map(({ name }) => name)).toEqual(['Cloud Inc', 'Mail Inc']);
    const [vendor = ''] = items.map(({ uniqueId }) => uniqueId);
    expect(await ann.caller.vendor.get({ vendor })).toMatchObject({ description: 'Hosting' });
  });

  test('skips vendors that already exist, or changes them, and undoes what nobody has changed since', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await openColumns(
      page,
      'vendors.csv',
      'Name,Criticality\ncloud ltd,High\nMail Inc,Low\nPaper Co,\nMail Inc,High\n',
    );
    await runCheck(page, acme, 'Check');
    expect(await counts(page)).toContain('Would be skipped: 1');
    await page.getByRole('heading', { name: '1 row with the name of an earlier row' }).waitFor();
    const skipped = page.getByRole('region', { name: 'Rows of vendors that already exist' });
    expect(await cellsIn(skipped, 1)).toEqual(['Line 2', '“cloud ltd”: A vendor with this name already exists.']);
    await expectGoodViews(page);
    await page.getByLabel('Rows whose name already exists').selectOption('Update the existing one');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row is valid. Nothing has been written yet.').waitFor();
    await page
      .getByRole('heading', { name: '1 row with the name of an earlier row would update what the earlier row creates' })
      .waitFor();
    expect(await counts(page)).toContain('Would be changed: 2');
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.vendor.page({ view: 'full', limit: 10 });
    expect(items).toMatchObject([{ name: 'Mail Inc' }, { name: 'Paper Co' }, { name: 'cloud ltd', criticality: 2 }]);
    await ann.caller.vendor.update({ vendor: String(items[1]?.uniqueId), criticality: 1 });

    await click(page, 'Undo this import');
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await dialog.getByText('Counting the changes.').first().waitFor();
    await runImports(acme);
    await dialog.getByText('Nothing has been undone yet.').waitFor();
    expect(await dialog.locator('.counts > div').allTextContents()).toEqual([
      'Would be deleted1',
      'Would be changed back1',
      'Would be kept1',
    ]);
    await dialog.getByText('“Paper Co” has been changed since.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await dialog.getByText('The undo is waiting for its turn.').waitFor();
    await runImports(acme);
    await dialog.getByText('The import was undone, except for what was changed or used since.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('The import was undone.').waitFor();
    expect(await ann.caller.vendor.page({ view: 'full', limit: 10 })).toMatchObject({
      items: [{ name: 'Cloud Ltd', criticality: null }, { name: 'Paper Co' }],
    });
    const past = page.getByRole('table', { name: 'Imports' }).locator('tbody tr[aria-rowindex]');
    await expect
      .poll(() => past.allTextContents())
      .toMatchObject([expect.stringContaining('Undo: Vendors'), expect.stringContaining('Undone')]);
    expect(await page.getByRole('button', { name: 'Undo this import' }).count()).toBe(0);
  });

  test('imports tasks into a framework, and cancels an import that waits', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await acme.manage.framework.create({ name: 'SOC 2' });
    await choose(page, 'tasks.ndjson', '{"Task":"Review access","Deadline":"2026-12-24"}\n{"Task":""}\n');
    await select(page, 'Kind', 'Tasks');
    await click(page, 'Continue');
    await page.getByText('Choose a framework.').waitFor();
    await select(page, 'Framework', 'ISO 27001');
    await click(page, 'Continue');
    expect(await page.getByLabel('Field of Deadline').inputValue()).toBe('dueDate');
    await runCheck(page, acme, 'Check');
    await click(page, 'Import');
    await click(page, 'Cancel');
    await page.getByText('The import was canceled.').waitFor();
    await click(page, 'Back');
    await runCheck(page, acme, 'Check');
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.task.list({ framework: acme.framework, limit: 10 });
    expect(items).toMatchObject([{ title: 'Review access', dueDate: '2026-12-24' }]);
    const rows = page.getByRole('table', { name: 'Imports' }).locator('tbody tr[aria-rowindex]');
    await expect.poll(() => rows.count(), { timeout: 120_000 }).toBe(2);
  });

  test('shows rows per second and the time left, and continues when the page is left', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    const runner = new ImportRunner(database);
    const runUntil = async (isReached: (done: number) => boolean) => {
      const [item] = (await ann.caller.import.list({ limit: 1 })).items;
      if (item === undefined || isReached(item.created)) return;
      await runner.runSlice(acme.id);
      await runUntil(isReached);
    };
    const content = `name\n${Array.from({ length: 2000 }, (_, index) => `Vendor ${index}\n`).join('')}`;
    await openColumns(page, 'vendors.csv', content);
    await runCheck(page, acme, 'Check');
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runUntil((done) => done > 0);
    await page.getByText(/^[\d,]+ of 2,000 rows/).waitFor();
    await runUntil((done) => done > 500);
    await page.getByText(/^[\d,]+ of 2,000 rows, [\d,]+ rows per second, about \d+ (second|minute)s? left$/).waitFor();
    await expectGoodViews(page);
    const { search } = new URL(page.url());
    expect(search).toMatch(/^\?import=[\w-]{36}$/);

    await page.getByRole('navigation').getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Imports', exact: true }).click();
    await page.getByText(/^Your import of vendors continues: [\d,]+ of 2,000 rows\.$/).waitFor();
    await expectAccessible(page);
    await click(page, 'Show import');
    await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor();
    expect(new URL(page.url()).search).toBe(search);
    await page.reload();
    await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    expect(await counts(page)).toContain('Created: 2,000');
    await page.getByRole('link', { name: 'Newest vendors' }).waitFor();
    await page.getByRole('link', { name: 'All 2,000 changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  });

  test('saves all rejected rows as a CSV file that runs no formula', async () => {
    const { company: acme, page } = await openAsMember('/imports');
    const bad = Array.from({ length: 1100 }, (_, index) => `V${index},=${index}+1\n`).join('');
    await openColumns(page, 'vendors.csv', `Vendor,Id\nGood,\n${bad}Long,,x\n`);
    await page.getByLabel('Field of Id').selectOption('Id');
    await runCheck(page, acme, 'Check');
    const { name, text } = await save(page, () => click(page, 'Download rejected rows'));
    expect(name).toBe('rejected-rows.csv');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1102);
    expect(lines[0]).toBe('\u{feff}Line,Field,Value,Problem');
    expect(lines[1]).toBe(`3,Id,'=0+1,"Expected the Id of a vendor, or no value."`);
    expect(lines.at(-1)).toMatch(/^1103,,,The row has more cells than the heading\./);
    await page.getByText('rejected-rows.csv has 1,101 rows.').waitFor();
    await page.getByLabel('All or nothing').check();
    await page.getByText('Nothing will be imported, because some rows are rejected.').waitFor();

    await page.reload();
    await page.getByText('This page no longer has the file and the columns of this check.').waitFor();
    expect(await cellsIn(rejectedRows(page), 1)).toMatchObject(['=0+1', 'Line 3', expect.stringMatching(/^Expected /)]);
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    await click(page, 'Back');
    await page.getByRole('heading', { name: 'File' }).waitFor();
  });

  test.each(['vendors', 'tasks'])('accepts its own template for %s', async (kind) => {
    const { company: acme, page } = await openAsMember('/imports');
    const { name, text } = await save(page, () => page.getByRole('link', { name: `Template for ${kind}` }).click());
    expect(name).toBe(`${kind}-template.csv`);
    await openColumns(page, name, text);
    const names = text.slice(1).split('\r\n', 1)[0]?.split(',') ?? [];
    expect(names).toContain(kind === 'tasks' ? 'Due date' : 'Name');
    for (const column of names)
      expect(await page.getByLabel(`Field of ${column}`, { exact: true }).inputValue()).not.toBe('');
    await runCheck(page, acme, 'Check');
    expect(await counts(page)).toMatchObject(['Rows: 1', 'Would be created: 1', {}, {}, {}, 'Would be rejected: 0']);
    expect(await page.getByRole('region', { name: 'Values that are left out' }).count()).toBe(0);
  });
});

/** A register as people keep it: German dates, lists with commas, names of owners, websites without a scheme, and doubles. */
const registerRows = (vendors: number, doubles: number): TestRows => [
  ['Register of vendors'],
  [null],
  ['Supplier', 'Owner', 'Website', 'Criticality', 'Tags', 'Contract until', 'Review interval', 'Next review', 'Notes'],
  ...Array.from({ length: vendors }, (_, index): TestRows[number] => [
    `Vendor ${index >= vendors - doubles ? index - vendors + doubles : index}`,
    index % 3 === 0 ? 'B. Berg' : 'Bo Berg',
    `vendor-${index}.example`,
    ['Critical', 'High', 'Medium', 'low'][index % 4] ?? null,
    index % 2 === 0 ? 'hosting, eu' : 'paper',
    index % 2 === 0 ? day('2027-03-31') : '31.03.2027',
    12,
    day('2026-12-24', 'dd/mm/yyyy'),
    index % 50 === 0 ? 'Line one\nline two' : null,
  ]),
];

describeInBrowser('an import of a spreadsheet', () => {
  test('takes a register of 300 vendors with a title above it, dates, lists, names and doubles', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports?kind=vendor');
    const bo = await createMember(acme, { name: 'Bo Berg' });
    const file = await writeXlsx({ Notes: [['Read me']], Register: registerRows(300, 10) });
    await choose(page, 'register.xlsx', file);
    await page.getByText('register.xlsx has 2 sheets.').waitFor();
    await page.getByLabel('Sheet').selectOption('Register (302 rows)');
    await click(page, 'Continue');
    expect(await page.getByLabel('Heading').locator('option:checked').textContent()).toContain('Line 3: Supplier');
    expect(await page.getByLabel('Dates').inputValue()).toBe('dmy');
    expect(await page.getByLabel('Field of Contract until').inputValue()).toBe('contractEnd');
    await expectGoodViews(page);
    await runCheck(page, acme, 'Check');
    await select(page, 'Owner in place of B. Berg', 'Bo Berg');
    await runCheck(page, acme, 'Continue');
    expect(await counts(page)).toEqual([
      'Rows: 290',
      'Would be created: 290',
      'Would be changed: 0',
      'Would stay unchanged: 0',
      'Would be skipped: 0',
      'Would be rejected: 0',
    ]);
    await page.getByRole('heading', { name: '10 rows with the name of an earlier row' }).waitFor();
    const doubles = page.getByRole('region', { name: 'Rows with the name of an earlier row' });
    expect(await cellsIn(doubles, 1)).toEqual(['Line 294', 'Vendor 0']);
    await expectGoodViews(page);
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items, total } = await ann.caller.vendor.page({ view: 'full', limit: 2 });
    expect(total).toBe(290);
    const facts = { contractEnd: '2027-03-31', nextReview: '2026-12-24', reviewEveryMonths: 12 };
    expect(items).toMatchObject([
      {
        name: 'Vendor 0',
        ...facts,
        owner: { uniqueId: bo.uniqueId },
        website: 'https://vendor-0.example',
        labels: ['hosting', 'eu'],
        criticality: 1,
        description: expect.stringMatching(/Line one\nline two/),
      },
      { name: 'Vendor 1', ...facts, labels: ['paper'], owner: { uniqueId: bo.uniqueId } },
    ]);
  });

  test('imports the tasks of two frameworks of an ODS file one after the other', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    const rows = Array.from({ length: 150 }, (_, index) => [
      `Task ${index}`,
      index % 3 === 0 ? 'SOC 2' : 'ISO 27001',
      { date: '2027-01-31' },
      index % 2 === 0 ? 'In progress' : 'To do',
      'Security',
    ]);
    const file = await writeOds([['Title', 'Framework', 'Due date', 'Status', 'Department'], ...rows]);
    await openColumns(page, 'tasks.ods', file);
    await page
      .getByText('100 rows of 150 belong to ISO 27001. You can import the others afterwards: SOC 2 (50 rows).')
      .waitFor();
    await runCheck(page, acme, 'Check');
    expect(await counts(page)).toContain('Would be created: 100');
    const importAll = async () => {
      await click(page, 'Import');
      await page.getByText('The file is waiting for its turn.').waitFor();
      await runImports(acme);
      await page.getByText('Every row was imported.').waitFor();
    };
    await importAll();
    await click(page, 'Import the tasks of SOC 2');
    await page.getByText('50 rows of 150 belong to SOC 2.').waitFor();
    await runCheck(page, acme, 'Check');
    await importAll();
    const tasksOf = async (framework: number) => (await ann.caller.task.list({ framework, limit: 1 })).total;
    expect([await tasksOf(acme.framework), await tasksOf(other.id)]).toEqual([100, 50]);
    const { items } = await ann.caller.task.list({ framework: other.id, limit: 1 });
    expect(items).toMatchObject([{ dueDate: '2027-01-31', departmentId: acme.department }]);
  });

  test('asks how dates are written, and takes answers for dates, departments, gaps and vendors in lists', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    const { uniqueId: cloud } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const { uniqueId: mail } = await acme.vendor.create({ name: 'Mail Inc' });
    const rows = [
      ['Title', 'Due date', 'Start date', 'Department', 'Gaps', 'Vendors'],
      ['Review access', '3/4/2027', 'soon', 'IT Security', 'no reviews', 'Mail Inc, Cloudy'],
    ];
    await openColumns(page, 'tasks.ods', await writeOds(rows));
    await click(page, 'Check');
    await page.getByText('The dates can be read in two ways. Choose one.').waitFor();
    await page.getByLabel('Dates').selectOption('Day first: 31.12.2026 or 31/12/2026');
    await runCheck(page, acme, 'Check');
    const values = page.getByRole('table', { name: 'Values that cannot be imported' });
    expect((await values.getByRole('rowheader').allTextContents()).toSorted()).toEqual([
      'CloudyVendors, 1 row',
      'IT SecurityDepartment, 1 row',
      'no reviewsGaps, 1 row',
      'soonStart date, 1 row',
    ]);
    await values.getByText('This is not a date in the chosen format.').waitFor();
    await page.getByLabel('Start date in place of soon').fill('2027-01-31');
    await select(page, 'Department in place of IT Security', 'Security');
    await select(page, 'Gaps in place of no reviews', 'No access review');
    await select(page, 'Vendors in place of Cloudy', 'Cloud Ltd');
    await expectGoodViews(page);
    await runCheck(page, acme, 'Continue');
    expect(await counts(page)).toContain('Would be created: 1');
    await click(page, 'Import');
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.task.list({ framework: acme.framework, limit: 1 });
    expect(items).toMatchObject([
      { dueDate: '2027-04-03', startDate: '2027-01-31', departmentId: acme.department, gaps: [acme.gap] },
    ]);
    expect(items?.[0]?.vendors.toSorted()).toEqual([cloud, mail].toSorted());
  });

  test('keeps what the person sees, and converts 10,000 rows in less than 3 s', async () => {
    const { page } = await openAsMember('/imports?kind=vendor');
    const shown = [
      ['Name', 'A', 'B', 'C', 'D', 'E', 'F'],
      [
        'Cloud Ltd',
        day('2026-12-31'),
        { value: 46_022.5, format: 'dd.mm.yyyy hh:mm' },
        { value: 42, format: '00000' },
        { value: 1234.5, format: '#,##0.00' },
        0.1 + 0.2,
        { value: 0.25, format: '0%' },
      ],
    ] satisfies TestRows;
    await openColumns(page, 'seen.xlsx', await writeXlsx({ Sheet1: shown }));
    const columns = page.getByRole('table', { name: 'Columns of the file' });
    const cells = columns.locator('tbody td:nth-child(2)');
    expect(await cells.allTextContents()).toEqual([
      'Cloud Ltd',
      '2026-12-31',
      '2025-12-31 12:00',
      '00042',
      '1,234.50',
      '0.3',
      '25%',
    ]);
    await click(page, 'Back');
    const wide = await writeXlsx({ Sheet1: registerRows(10_000, 0) });
    const start = performance.now();
    await choose(page, 'wide.xlsx', wide);
    await page.getByText('wide.xlsx has 10,001 rows below the first.').waitFor();
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test('says that a file unpacks to too much, or is another ZIP file', async () => {
    const { page } = await openAsMember('/imports');
    const bomb = await writeXlsx({ Sheet1: [['Name'], ['A']] });
    // The table of the ZIP says another size.
    const entry = bomb.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    for (const [size, sentence] of [
      [0xfffffff0, 'The spreadsheet is too large when it is unpacked.'],
      [0, 'The spreadsheet is too large when it is unpacked.'],
    ] as const) {
      bomb.writeUInt32LE(size, entry + 24);
      await choose(page, `bomb-${size}.xlsx`, bomb);
      await page.getByText(sentence).waitFor();
    }
    await choose(page, 'text.docx', await writeZip([['word/document.xml', Buffer.from('<document/>')]]));
    await page.getByText('The file is not a spreadsheet. Choose a CSV, XLSX or ODS file.').waitFor();
    await choose(page, 'cut.xlsx', bomb.subarray(0, 400));
    await page.getByText('The file is damaged. Save it again, then choose it again.').waitFor();
    await click(page, 'Continue');
    expect(await page.getByRole('heading', { name: 'File' }).count()).toBe(1);
  });
});

describeInBrowser('the page of imports', () => {
  test('says why a file cannot be imported', async () => {
    const { page } = await openAsMember('/imports');
    await click(page, 'Continue');
    await page.getByText('Choose a file.').waitFor();
    await choose(page, 'latin.csv', Buffer.from('name\nCaf\u{e9}\n', 'latin1'));
    await page.getByText('The file is not in UTF-8, so it was read as Windows-1252.').waitFor();
    await choose(page, 'open.csv', 'name\nA\n"B\n');
    await page.getByText('Line 3 cannot be read: a quote is not closed.').waitFor();
    await choose(page, 'lines.ndjson', '{"name":"A"}\nbroken\n');
    await page.getByText('Line 2 is not a JSON object.').waitFor();
    await choose(page, 'picture.xlsx', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]));
    await page.getByText('The file is not a spreadsheet. Choose a CSV, XLSX or ODS file.').waitFor();
    await choose(page, 'old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]));
    await page.getByText('The file is an old Excel workbook, or it has a password.').waitFor();
    await click(page, 'Continue');
    await choose(page, 'large.csv', `name\n${'"'.repeat(5 * 1024 * 1024)}`);
    const alert = page.getByRole('alert');
    await alert.getByText('The file is too large for this page').waitFor();
    expect(await alert.locator('code').textContent()).toContain(`${VENDORS}/import' -H 'X-API-Key: YOUR_KEY'`);
    await click(page, 'Continue');
    await page.getByRole('heading', { name: 'File' }).waitFor();
    await expectGoodViews(page);
  });

  test('says that an import in the address does not exist', async () => {
    const { page } = await openAsMember('/imports');
    expectConsole(/404/);
    await page.goto(`${page.url()}?import=019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071`);
    await page.getByRole('alert').getByText('The import could not be loaded').waitFor();
    await click(page, 'Import another file');
    await page.getByRole('heading', { name: 'File' }).waitFor();
  });

  test('shows an auditor the past imports only', async () => {
    const acme = await createCompany();
    const page = await openAs(await createMember(acme, { role: 'auditor' }), '/imports');
    await page.getByText('Files that were imported in the last 30 days are listed here').waitFor();
    expect(await page.getByRole('list', { name: 'Steps of the import' }).count()).toBe(0);
    expect(await page.getByLabel('File').count()).toBe(0);
  });

  test('is accessible in every view, and lists no checks', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    await ann.caller.vendor.import({ content: 'name,status\nCloud Ltd,active\nMail Inc,sleeping\n' });
    await runImports(acme);
    await ann.caller.task.import({ framework: acme.framework, content: 'title\nReview\n', dryRun: true });
    await runImports(acme);
    const page = await openAs(ann, '/imports');
    const past = page.getByRole('table', { name: 'Imports' });
    await past.getByRole('button', { name: 'Vendors' }).click();
    await rejectedRows(page).waitFor();
    expect(await past.locator('tbody tr[aria-rowindex]').count()).toBe(1);
    await choose(page, 'vendors.csv', 'name,status,description\r\nCloud Ltd,active,"Hosting, storage"\r\n');
    await page.getByText('vendors.csv has 1 row below the first.').waitFor();
    await expectGoodViews(page);
  });
});
