import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  describeInBrowser,
  expectAccessible,
  expectGoodViews,
  openAs,
  openAsMember,
} from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { VENDORS, download, runImports } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';

const choose = (page: Page, name: string, content: string | Buffer) =>
  page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

describeInBrowser('a person', () => {
  test('checks a file of vendors with a dry run, reads its errors by line, and imports the rest', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports', { role: 'editor' });
    await choose(page, 'vendors.csv', 'name;status\r\n"Cloud; Ltd";active\r\nMail Inc;sleeping\r\n');
    const preview = page.getByRole('region', { name: 'Preview of the first rows' });
    expect(await preview.getByRole('columnheader').allTextContents()).toEqual(['name', 'status']);
    expect(await preview.getByRole('cell').first().textContent()).toBe('Cloud; Ltd');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    const errors = page.getByRole('region', { name: 'Errors by line' });
    await errors.getByText('active, inactive').waitFor();
    expect(await errors.getByRole('row').nth(1).getByRole('cell').allTextContents()).toMatchObject(['3', 'status', {}]);
    await expectAccessible(page, 'imports-dry-run');
    expect(await ann.caller.vendor.list()).toEqual([]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('The rows without an error were imported.').waitFor();
    expect(await ann.caller.vendor.list()).toMatchObject([{ name: 'Cloud; Ltd' }]);
  });

  test('imports tasks into a framework, and cancels an import that waits', async () => {
    const { company: acme, ann, page } = await openAsMember('/imports');
    await page.getByLabel('Kind').click();
    await page.getByRole('option', { name: 'Tasks' }).click();
    await choose(page, 'tasks.ndjson', '{"title":"Review access"}\n');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Choose a framework.').waitFor();
    await page.getByLabel('Framework').click();
    await page.getByRole('option', { name: 'ISO 27001' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The import was canceled.').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The file waits for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('Every row was imported.').waitFor();
    const { items } = await ann.caller.task.list({ framework: acme.framework, limit: 10 });
    expect(items).toMatchObject([{ title: 'Review access' }]);
    const rows = page.getByRole('table', { name: 'Imports' }).locator('tbody tr[aria-rowindex]');
    await expect.poll(() => rows.count(), { timeout: 120_000 }).toBe(2);
  });

  test('sees why a file cannot be imported', async () => {
    const { page } = await openAsMember('/imports');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Choose a file.').waitFor();
    await choose(page, 'latin.csv', Buffer.from('name\nCaf\u{e9}\n', 'latin1'));
    await page.getByText('The file is not UTF-8.').waitFor();
    await choose(page, 'large.csv', `name\n${'"'.repeat(5 * 1024 * 1024)}`);
    const alert = page.getByRole('alert');
    await alert.getByText('The file is too large for this page').waitFor();
    expect(await alert.locator('code').textContent()).toContain(`${VENDORS}/import' -H 'X-API-Key: YOUR_KEY'`);
  });

  test('exports vendors and tasks as the CSV files of the API', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: '=1+1, "quoted"', description: 'Ünïcode' });
    await acme.newTask();
    const page = await openAs(await createMember(acme, { role: 'auditor' }), '/imports');
    const save = async () => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const file = await saved;
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const vendors = await download(acme.key, `${VENDORS}/list`, 'text/csv');
    expect(await save()).toEqual({ name: 'vendors.csv', text: vendors.text });
    await page.getByText('vendors.csv has 1 vendor.').waitFor();
    await page.getByLabel('Kind').click();
    await page.getByRole('option', { name: 'Tasks' }).click();
    await page.getByLabel('Framework').click();
    await page.getByRole('option', { name: 'ISO 27001' }).click();
    const tasks = await download(acme.key, `/external/task/framework/${acme.framework}/list`, 'text/csv');
    expect(await save()).toEqual({ name: 'tasks.csv', text: tasks.text });
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
  });

  test('finds the page of imports accessible in every view', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    await ann.caller.vendor.import({ content: 'name,status\nCloud Ltd,active\nMail Inc,sleeping\n' });
    await runImports(acme);
    await ann.caller.task.import({ framework: acme.framework, content: 'title\nReview\n', dryRun: true });
    await runImports(acme);
    const page = await openAs(ann, '/imports');
    await page.getByRole('table', { name: 'Imports' }).getByRole('button', { name: 'Vendors' }).click();
    await page.getByRole('region', { name: 'Errors by line' }).waitFor();
    await choose(page, 'vendors.csv', 'name,status,description\r\nCloud Ltd,active,"Hosting, storage"\r\n');
    await page.getByRole('region', { name: 'Preview of the first rows' }).waitFor();
    await expectGoodViews(page, 'imports');
  });
});
