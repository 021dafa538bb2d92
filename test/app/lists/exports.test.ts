import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs, openAsMember } from '../../support/app/application.ts';
import { runImports } from '../../support/tenants/imports.ts';
import { createMember } from '../../support/tenants/member.ts';

/** Saves a list with an item of the menu "Export". */
async function exportList(page: Page, item: string): Promise<{ name: string; text: string }> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
  const file = await saved;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

const lines = (text: string) => text.replace('\u{feff}', '').trimEnd().split('\r\n');

describeInBrowser('the menu "Export" of a list', () => {
  test('saves the vendors as they are filtered and sorted, in the words of the application', async () => {
    const { company: acme, ann, page } = await openAsMember('/vendors?status=active&sort=criticality');
    await acme.vendor.create({ name: 'Cloud Ltd', criticality: 2, labels: ['eu', 'hosting'] });
    await acme.vendor.create({ name: '=Mail; Inc', criticality: 1 });
    await acme.vendor.create({ name: 'Paper Co', active: false });
    await page.reload();
    await page.getByRole('link', { name: 'Cloud Ltd' }).waitFor();
    const commas = await exportList(page, 'CSV with commas');
    expect(commas.name).toBe('vendors.csv');
    const [heading, ...rows] = lines(commas.text);
    expect(heading).toMatch(/^Name,Status,.*,Id$/);
    expect(rows.map((row) => row.split(',').slice(0, 2))).toEqual([
      ["'=Mail; Inc", 'Active'],
      ['Cloud Ltd', 'Active'],
    ]);
    await page.getByText('vendors.csv has 2 vendors.').waitFor();
    await expectAccessible(page);
    const semicolons = await exportList(page, 'CSV with semicolons');
    expect(lines(semicolons.text)[2]).toMatch(/^Cloud Ltd;Active;.*;eu, hosting;/);

    // What was exported changes nothing.
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Import a file' }).click();
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'vendors.csv', mimeType: 'text/csv', buffer: Buffer.from(semicolons.text) });
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel('Field of Id', { exact: true }).inputValue()).toBe('uniqueId');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The file is waiting for its turn.').waitFor();
    await runImports(acme);
    await page.getByText('The rows change nothing. There is nothing to import.').waitFor();
    expect((await ann.caller.vendor.page({ limit: 1 })).total).toBe(3);
  });

  test('saves the tasks of a framework, also for an auditor, who cannot import', async () => {
    const { company: acme } = await openAsMember('/');
    const other = await acme.manage.framework.create({ name: 'SOC 2' });
    await acme.task.create({ framework: acme.framework, title: 'Review access', priority: 1 });
    await acme.task.create({ framework: other.id, title: 'Test backups' });
    const auditor = await createMember(acme, { role: 'auditor' });
    const page = await openAs(auditor, `/tasks?framework=${acme.framework}`);
    await page.getByRole('link', { name: 'Review access' }).waitFor();
    const { name, text } = await exportList(page, 'CSV with commas');
    expect(name).toBe('tasks.csv');
    expect(lines(text)).toEqual([expect.stringMatching(/^Title,/), expect.stringMatching(/^Review access,.*Urgent/)]);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'CSV with commas' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Import a file' }).count()).toBe(0);
  });

  test('saves the audit log with one row for each field', async () => {
    const { company: acme, page } = await openAsMember('/audit-log?resourceType=vendor');
    await acme.vendor.create({ name: 'Cloud Ltd' });
    await page.reload();
    await page.getByText('Cloud Ltd').first().waitFor();
    const { name, text } = await exportList(page, 'CSV with semicolons');
    expect(name).toBe('audit-log.csv');
    const [heading, ...rows] = lines(text);
    expect(heading).toBe('Time;Person;Action;Resource;Name;Field;From;To');
    expect(rows).toContainEqual(expect.stringMatching(/;Vendor;Cloud Ltd;Name;;Cloud Ltd$/));
  });
});
