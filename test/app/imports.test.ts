import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
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
import { createCompany } from '../support/tenants/company.ts';
import { VENDORS, download, runImports } from '../support/tenants/imports.ts';
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

/** Starts the dry run and waits for its end. */
async function check(page: Page, company: { id: number }): Promise<void> {
  await click(page, 'Check');
  await page.getByText('The file waits for its turn.').waitFor();
  await runImports(company);
  await page.getByText('Would be created').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
}

const rejectedRows = (page: Page) => page.getByRole('region', { name: 'Rejected rows' });

/** Cells of a row of the rejected rows; the first one is 1. */
async function rejectedCells(page: Page, row: number): Promise<string[]> {
  const cells = rejectedRows(page).getByRole('row').nth(row).getByRole('cell');
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

describeInBrowser('an import in four steps', () => {
  test('names the columns of a file, shows what is rejected, and imports the rest', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports', { role: 'editor' });
    const steps = page.getByRole('list', { name: 'Steps of the import' });
    await steps.waitFor();
    expect(await steps.getByRole('listitem').allTextContents()).toEqual(['1File', '2Columns', '3Check', '4Import']);
    expect(await steps.locator('[aria-current="step"]').textContent()).toContain('File');
    await openColumns(
      page,
      'suppliers.csv',
      'Supplier;Notes;State;Owner\r\n"Cloud; Ltd";"two\r\nlines";active;Bo\r\nMail Inc;;sleeping;=1+1\r\nPaper Co;;archived;\r\n',
    );
    expect(await page.locator(':focus').textContent()).toBe('Columns');
    const columns = page.getByRole('table', { name: 'Columns of the file' });
    expect(await columns.getByRole('rowheader').allTextContents()).toEqual(['Supplier', 'Notes', 'State', 'Owner']);
    expect(await columns.getByRole('row').nth(1).getByRole('cell').first().locator('span').allTextContents()).toEqual([
      'Cloud; Ltd',
      'Mail Inc',
      'Paper Co',
    ]);
    const fieldOf = (column: string) => page.getByLabel(`Field of ${column}`);
    const fields = async () =>
      Promise.all(['Supplier', 'Notes', 'State', 'Owner'].map((column) => fieldOf(column).inputValue()));
    expect(await fields()).toEqual(['name', 'description', 'status', '']);
    await page.getByText('1 column is left out.').waitFor();
    await expectGoodViews(page);
    await check(page, acme);
    expect(await counts(page)).toEqual([
      'Rows: 3',
      'Would be created: 2',
      'Would be changed: 0',
      'Would stay unchanged: 0',
      'Would be rejected: 1',
    ]);
    await rejectedRows(page).waitFor();
    expect(await rejectedCells(page, 1)).toMatchObject([
      '4',
      'Status',
      'sleeping',
      expect.stringContaining('active, inactive'),
    ]);
    expect(await ann.caller.vendor.list()).toEqual([]);
    await expectGoodViews(page);

    await click(page, 'Back');
    expect(await fields()).toEqual(['name', 'description', 'status', '']);
    await fieldOf('Notes').selectOption('Leave out');
    await click(page, 'Back');
    expect(await page.getByLabel('File').inputValue()).toContain('suppliers.csv');
    await page.getByText('suppliers.csv has 3 rows and 4 columns.').waitFor();
    await click(page, 'Continue');
    expect(await fields()).toEqual(['name', '', 'status', '']);
    await check(page, acme);
    expect(await rejectedCells(page, 1)).toMatchObject(['4', 'Status', 'sleeping', {}]);
    await click(page, 'Import');
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('The rows without an error were imported.').waitFor();
    expect(await counts(page)).toContain('Created: 2');
    expect(await ann.caller.vendor.list()).toMatchObject([
      { name: 'Cloud; Ltd' },
      { name: 'Paper Co', status: 'archived' },
    ]);
    await click(page, 'Import another file');
    await page.getByRole('heading', { name: 'File' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('takes a file that is dropped, asks for the column of the name, and rejects two columns for one field', async () => {
    const { page } = await openAsMember('/imports');
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Who,Where\\nCloud Ltd,Berlin\\n'], 'vendors.csv'));
      return transfer;
    })()`);
    await page.locator('.file-drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('vendors.csv has 1 row and 2 columns.').waitFor();
    await click(page, 'Continue');
    await page.getByText('Every vendor needs a name.').waitFor();
    await click(page, 'Check');
    await page.getByRole('alert').getByText('Every vendor needs a name. Choose the column that has it.').waitFor();
    await page.getByLabel('Field of Who').selectOption('Name');
    await page.getByLabel('Field of Where').selectOption('Name');
    await page.getByText('Another column has this field. Choose one of them.').first().waitFor();
    await click(page, 'Check');
    await expectAccessible(page);
    expect(new URL(page.url()).search).toBe('');
    await page.getByLabel('Field of Where').selectOption('Leave out');
    expect(await page.getByText('Another column has this field.').count()).toBe(0);
  });

  test('changes the vendors whose ids of a system are known, and keeps what the file leaves empty', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await ann.caller.vendor.import({
      content: 'externalId,name,description\nV-1,Cloud Ltd,Hosting\n',
      source: 'erp',
    });
    await runImports(acme);
    await openColumns(page, 'vendors.csv', 'Key,Vendor,Notes\nV-1,Cloud Inc,\nV-2,Mail Inc,\n');
    await page.getByText('Without a source, every row creates a vendor.').waitFor();
    await page.getByLabel('Source').fill('erp');
    await page.getByLabel('Empty cells and missing columns').selectOption('Keep the present value');
    await check(page, acme);
    expect(await counts(page)).toMatchObject(['Rows: 2', 'Would be created: 1', 'Would be changed: 1', {}, {}]);
    await click(page, 'Back');
    expect(await page.getByLabel('Source').inputValue()).toBe('erp');
    await page.getByLabel('Source').fill('crm');
    await page.goBack();
    await page.getByText('The file and the columns of this check are not in this page any more.').waitFor();
    await click(page, 'Back');
    await page.getByLabel('Source').fill('erp');
    await page.goBack();
    await page.getByLabel('All or nothing').check();
    await click(page, 'Import');
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.vendor.page({ limit: 10 });
    expect(items.map(({ name }) => name)).toEqual(['Cloud Inc', 'Mail Inc']);
    const [vendor = ''] = items.map(({ uniqueId }) => uniqueId);
    expect(await ann.caller.vendor.get({ vendor })).toMatchObject({ description: 'Hosting' });
  });

  test('imports tasks into a framework, and cancels an import that waits', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await select(page, 'Kind', 'Tasks');
    await choose(page, 'tasks.ndjson', '{"Task":"Review access","Deadline":"2026-12-24"}\nbroken\n');
    await click(page, 'Continue');
    await page.getByText('Choose a framework.').waitFor();
    await select(page, 'Framework', 'ISO 27001');
    await click(page, 'Continue');
    expect(await page.getByLabel('Field of Deadline').inputValue()).toBe('dueDate');
    await check(page, acme);
    expect(await rejectedCells(page, 1)).toEqual(['2', '', '', 'expected a JSON object on one line; found "broken"']);
    await click(page, 'Import');
    await click(page, 'Cancel');
    await page.getByText('The import was canceled.').waitFor();
    await click(page, 'Back');
    await check(page, acme);
    await click(page, 'Import');
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('The rows without an error were imported.').waitFor();
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
    await check(page, acme);
    await click(page, 'Import');
    await page.getByText('The file waits for its turn.').waitFor();
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
  });

  test('saves all rejected rows as a CSV file that runs no formula', async () => {
    const { company: acme, page } = await openAsMember('/imports');
    const bad = Array.from({ length: 1100 }, (_, index) => `V${index},=${index}+1\n`).join('');
    await openColumns(page, 'vendors.csv', `Vendor,Status\nGood,active\n${bad}Short\n`);
    await check(page, acme);
    const { name, text } = await save(page, () => click(page, 'Download rejected rows'));
    expect(name).toBe('rejected-rows.csv');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1102);
    expect(lines[0]).toBe('\u{feff}Line,Field,Value,Error');
    expect(lines[1]).toMatch(/^3,Status,'=0\+1,"expected /);
    expect(lines.at(-1)).toBe('1103,,,"expected 2 cells, as in the header; found 1"');
    await page.getByText('rejected-rows.csv has 1,101 rows.').waitFor();
    await page.getByLabel('All or nothing').check();
    await page.getByText('Nothing will be imported, because rows are rejected.').waitFor();

    await page.reload();
    await page.getByText('The file and the columns of this check are not in this page any more.').waitFor();
    expect(await rejectedCells(page, 1)).toMatchObject(['3', 'Status', expect.stringMatching(/^expected /)]);
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    await click(page, 'Back');
    await page.getByRole('heading', { name: 'File' }).waitFor();
  });

  test.each(['Vendors', 'Tasks'])('accepts its own template for %s', async (kind) => {
    const { company: acme, page } = await openAsMember('/imports');
    await select(page, 'Kind', kind);
    if (kind === 'Tasks') await select(page, 'Framework', 'ISO 27001');
    const { name, text } = await save(page, () => page.getByRole('link', { name: 'Download template' }).click());
    expect(name).toBe(`${kind.toLowerCase()}-template.csv`);
    await openColumns(page, name, text);
    const names = text.slice(1).split('\r\n', 1)[0]?.split(',') ?? [];
    expect(names).toContain(kind === 'Tasks' ? 'dueDate' : 'name');
    for (const column of names) expect(await page.getByLabel(`Field of ${column}`).inputValue()).toBe(column);
    await check(page, acme);
    expect(await counts(page)).toMatchObject(['Rows: 1', 'Would be created: 1', {}, {}, 'Would be rejected: 0']);
  });
});

describeInBrowser('the page of imports', () => {
  test('says why a file cannot be imported', async () => {
    const { page } = await openAsMember('/imports');
    await click(page, 'Continue');
    await page.getByText('Choose a file.').waitFor();
    await choose(page, 'latin.csv', Buffer.from('name\nCaf\u{e9}\n', 'latin1'));
    await page.getByText('The file is not UTF-8.').waitFor();
    await choose(page, 'open.csv', 'name\nA\n"B\n');
    await page.getByText('Line 3 cannot be read: a quote is not closed.').waitFor();
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

  test('exports vendors and tasks as the CSV files of the API, also for an auditor', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: '=1+1, "quoted"', description: 'Ünïcode' });
    await acme.newTask();
    const page = await openAs(await createMember(acme, { role: 'auditor' }), '/imports');
    const saveExport = () => save(page, () => click(page, 'Export'));
    const vendors = await download(acme.key, `${VENDORS}/list`, 'text/csv');
    expect(await saveExport()).toEqual({ name: 'vendors.csv', text: vendors.text });
    await page.getByText('vendors.csv has 1 vendor.').waitFor();
    await select(page, 'Kind', 'Tasks');
    const all = await download(acme.key, '/external/task/list', 'text/csv');
    expect(await saveExport()).toEqual({ name: 'tasks.csv', text: all.text });
    await select(page, 'Framework', 'ISO 27001');
    const tasks = await download(acme.key, `/external/task/framework/${acme.framework}/list`, 'text/csv');
    expect(await saveExport()).toEqual({ name: 'tasks.csv', text: tasks.text });
    expect(await page.getByRole('list', { name: 'Steps of the import' }).count()).toBe(0);
    expect(await page.getByLabel('File').count()).toBe(0);
  });

  test('is accessible in every view', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    await ann.caller.vendor.import({ content: 'name,status\nCloud Ltd,active\nMail Inc,sleeping\n' });
    await runImports(acme);
    await ann.caller.task.import({ framework: acme.framework, content: 'title\nReview\n', dryRun: true });
    await runImports(acme);
    const page = await openAs(ann, '/imports');
    await page.getByRole('table', { name: 'Imports' }).getByRole('button', { name: 'Vendors' }).click();
    await rejectedRows(page).waitFor();
    await choose(page, 'vendors.csv', 'name,status,description\r\nCloud Ltd,active,"Hosting, storage"\r\n');
    await page.getByText('vendors.csv has 1 row and 3 columns.').waitFor();
    await expectGoodViews(page);
  });
});
