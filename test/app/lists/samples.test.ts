import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { choose, describeInBrowser, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** The names of a sample, as anybody recomputes it. */
const sampleOf = (rows: readonly { uniqueId: string; name: string }[], seed: string, count: number) =>
  rows
    .map(({ uniqueId, name }) => ({ name, key: hash('sha256', `${seed}:${uniqueId}`) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);

const names = (page: Page) => page.locator('td.title').allInnerTexts();
const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describeInBrowser('a sample', () => {
  test('of the tasks is drawn with a number and a seed, followed by filters, records and exports, and removed', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { role: 'auditor' });
    const rows: { uniqueId: string; name: string; isUrgent: boolean }[] = [];
    for (let index = 0; index < 12; index++) {
      const isUrgent = index % 2 === 0;
      const { uniqueId } = await company.newTask({ title: `Task ${index}`, priority: isUrgent ? 1 : 3 });
      rows.push({ uniqueId, name: `Task ${index}`, isUrgent });
    }
    const page = await openAs(ann, '/tasks');
    await page.getByText('12 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sample' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sample of tasks' });
    expect(await dialog.getByLabel('Seed').inputValue()).toMatch(/^[0-9a-f]{10}$/);
    await dialog.getByLabel('Number').fill('');
    await dialog.getByRole('button', { name: 'Show sample' }).click();
    await dialog.getByText('Enter a number from 1 to 500.').waitFor();
    await dialog.getByLabel('Number').fill('4');
    await dialog.getByLabel('Seed').fill('Prüfung 2026');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Show sample' }).click();
    await page.getByText('4 of 12 tasks', { exact: true }).waitFor();
    expect(search(page)).toEqual({ sort: 'sample', seed: 'Prüfung 2026', sample: '4' });
    await expect.poll(() => names(page)).toEqual(sampleOf(rows, 'Prüfung 2026', 4));
    await page
      .getByText(/^To recompute it, take the SHA-256 of “Prüfung 2026:” .* of the 12 tasks that match/)
      .waitFor();

    await page.goto(`${page.url()}&priority=1`);
    const urgent = sampleOf(
      rows.filter(({ isUrgent }) => isUrgent),
      'Prüfung 2026',
      4,
    );
    await expect.poll(() => names(page)).toEqual(urgent);
    await page.getByText('4 of 6 tasks', { exact: true }).waitFor();
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'CSV with commas' }).click();
    const [, ...lines] = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(urgent);
    await page.getByRole('link', { name: urgent[0] ?? '' }).click();
    const place = page.getByRole('group', { name: 'Place in the list' });
    await place.getByText('1 of 4', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await place.getByText('2 of 4', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1, name: urgent[1] ?? '' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove filter Sample of 4, seed Prüfung 2026' }).click();
    await page.getByText('6 tasks', { exact: true }).waitFor();
    expect(search(page)).toEqual({ priority: '1' });
  });

  test('of the vendors and of the requirements of a framework is in the URL, and another order ends it', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { framework } = company;
    const vendors = [];
    const requirements = [];
    for (let index = 0; index < 6; index++) {
      const { uniqueId } = await ann.caller.vendor.create({ name: `Vendor ${index}` });
      vendors.push({ uniqueId, name: `Vendor ${index}` });
      const { uniqueId: id } = await ann.caller.requirement.create({ framework, ref: `A.${index}`, title: 'Policies' });
      requirements.push({ uniqueId: id, name: `A.${index} Policies` });
    }
    const page = await openAs(ann, '/vendors?sort=sample&seed=s1&sample=3');
    await page.getByText('3 of 6 vendors', { exact: true }).waitFor();
    expect(await names(page)).toEqual(sampleOf(vendors, 's1', 3));
    await page.getByRole('button', { name: 'Next review' }).click();
    await page.getByText('6 vendors', { exact: true }).waitFor();
    expect(search(page)).toEqual({ sort: 'nextReview' });
    await page.goto(new URL(`/frameworks/${framework}?sort=sample&seed=s1&sample=2`, page.url()).href);
    await page.getByText('2 of 6 requirements', { exact: true }).waitFor();
    await expect.poll(() => names(page)).toEqual(sampleOf(requirements, 's1', 2));
    // What is no sample shows all.
    await page.goto(new URL('/vendors?sort=sample&sample=3', page.url()).href);
    await page.getByText('6 vendors', { exact: true }).waitFor();
  });

  test('may be of the tasks that were closed in a quarter, whose day and person are columns and facts', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const closed = await company.newTask({ title: 'Review access rights' });
    await company.newTask({ title: 'Test the restore' });
    await ann.caller.task.update({ taskUniqueId: closed.uniqueId, status: 'done' });
    const page = await openAs(ann, '/tasks?status=open');
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    // Open tasks were not closed.
    await page.getByRole('button', { name: 'Closed: This quarter' }).click();
    await page.getByRole('link', { name: 'Review access rights' }).waitFor();
    expect(Object.keys(search(page))).toEqual(['closedAfter', 'closedBefore']);
    await page.getByRole('button', { name: 'Closed: Last quarter' }).click();
    await page.getByText('0 tasks', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Closed' }).click();
    await page.keyboard.press('Escape');
    await page.locator('th').getByRole('button', { name: 'Closed' }).click();
    await expect.poll(() => search(page)).toEqual({ sort: '-closedAt' });
    await expect.poll(() => names(page)).toEqual(['Review access rights', 'Test the restore']);
    await page.getByRole('link', { name: 'Review access rights' }).click();
    const facts = page.getByRole('region', { name: 'Properties' });
    await choose(page, 'Status', 'In progress');
    await expect.poll(async () => (await facts.innerText()).includes('Closed')).toBe(false);
    await choose(page, 'Status', 'Canceled');
    await expect.poll(() => facts.innerText()).toMatch(/Closed\s+Ann, .*20\d\d/);
  });
});
