import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, choose, openAs } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const dateText = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

/** A company with four vendors; Ann owns the first one, Ben Berg the second. */
async function createVendors() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben Berg' });
  const rows = [
    { name: 'Cloud Ltd', criticality: 1, nextReview: dateIn(-42), ownerId: ann.uniqueId, labels: ['hosting'] },
    { name: 'Bank AG', criticality: 2, nextReview: dateIn(12), ownerId: ben.uniqueId, contractEnd: dateIn(-1) },
    { name: 'Desk Inc', criticality: 3, nextReview: dateIn(60), contractEnd: dateIn(5) },
    { name: 'Archive GmbH' },
  ];
  const ids: string[] = [];
  for (const row of rows) ids.push((await ann.caller.vendor.create(row)).uniqueId);
  return { company, ann, ben, ids };
}

const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const names = (page: Page) =>
  page.getByRole('table', { name: 'Vendors' }).locator('td[data-column=name]').allInnerTexts();

describeInBrowser('the list of vendors', () => {
  test('is sorted by clicks on headers, with vendors that lack the value last', async () => {
    const { ann } = await createVendors();
    const page = await openAs(ann, '/vendors');
    await page.getByText('4 vendors', { exact: true }).waitFor();
    expect(await names(page)).toEqual(['Archive GmbH', 'Bank AG', 'Cloud Ltd', 'Desk Inc']);
    const row = await page.getByRole('row').filter({ hasText: 'Cloud Ltd' }).innerText();
    expect(row).toMatch(/Critical\s+A\s+Ann\s+.*42 days overdue\s+Active/s);
    await page.getByRole('button', { name: 'Next review' }).click();
    await expect.poll(() => names(page)).toEqual(['Cloud Ltd', 'Bank AG', 'Desk Inc', 'Archive GmbH']);
    expect(search(page)).toEqual({ sort: 'nextReview' });
    await page.locator('th').getByRole('button', { name: 'Criticality' }).click();
    await expect.poll(() => search(page)).toEqual({ sort: 'criticality' });
    await page.locator('th').getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => search(page)).toEqual({});
    await expectGoodViews(page);
    for (const width of [600, 800, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  test('has filters in the URL, each with a button that removes it', async () => {
    const { ann, ben } = await createVendors();
    const page = await openAs(ann, '/vendors');
    await page.getByText('4 vendors', { exact: true }).waitFor();
    await choose(page, 'Criticality', 'Medium');
    await page.getByRole('option', { name: 'Critical' }).click();
    await page.getByText('2 vendors', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(search(page)).toEqual({ criticality: '1,3' });
    await page.getByRole('button', { name: 'Remove filter Criticality: Critical, Medium' }).click();
    await choose(page, 'Owner', 'Ben Berg');
    await expect.poll(() => names(page)).toEqual(['Bank AG']);
    expect(search(page)).toEqual({ owner: ben.uniqueId });
    await page.getByRole('button', { name: 'Remove filter Owner: Ben Berg' }).click();
    await choose(page, 'Review', 'Overdue');
    await expect.poll(() => names(page)).toEqual(['Cloud Ltd']);
    await page.getByRole('button', { name: 'Remove filter Review: Overdue' }).click();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Contract' }).click();
    await page.getByRole('option', { name: 'Ended' }).click();
    await expect.poll(() => names(page)).toEqual(['Bank AG']);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter Contract: Ended' }).click();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Label').fill('hosting');
    await expect.poll(() => names(page)).toEqual(['Cloud Ltd']);
    await page.keyboard.press('Escape');
    await page.goto(`${new URL(page.url()).origin}/vendors?owner=me,none&criticality=3`);
    await page.getByRole('button', { name: 'Remove filter Owner: Me, Nobody' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['Desk Inc']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('4 vendors', { exact: true }).waitFor();
  });

  test('has its filters behind one button in a narrow window, which says how many are set', async () => {
    const { ann } = await createVendors();
    const page = await openAs(ann, '/vendors', { width: 375 });
    await page.getByText('4 vendors', { exact: true }).waitFor();
    expect(await page.locator('main').getByRole('combobox').count()).toBe(0);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await choose(page, 'Review', 'Due within 30 days');
    await choose(page, 'Owner', 'Ben Berg');
    await page.getByLabel('Order').selectOption('Critical first');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['Bank AG']);
    await expectGoodViews(page);
  });

  test('tells people with the same name apart by their emails', async () => {
    const { company, ann, ben } = await createVendors();
    const other = await createMember(company, { name: 'Ben Berg' });
    const page = await openAs(ann, '/vendors');
    await page.getByRole('row').filter({ hasText: 'Bank AG' }).getByText(`Ben Berg (${ben.email})`).waitFor();
    await choose(page, 'Owner', `Ben Berg (${other.email})`);
    await page.getByText('0 vendors', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Remove filter Owner: Ben Berg (${other.email})` }).waitFor();
    expect(search(page)).toEqual({ owner: other.uniqueId });
  });

  test('changes and deletes several vendors together, with Undo', async () => {
    const { ann, ben, ids } = await createVendors();
    const page = await openAs(ann, '/vendors');
    const owners = async () =>
      (await Promise.all(ids.map((vendor) => ann.caller.vendor.get({ vendor })))).map(
        ({ owner }) => owner?.uniqueId ?? null,
      );
    await page.getByLabel('Select Archive GmbH').click();
    await page.getByLabel('Select Cloud Ltd').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Set owner' }).click();
    await page.getByRole('menuitem', { name: 'Ben Berg' }).click();
    await page.getByText('3 vendors changed.').waitFor();
    expect(await owners()).toEqual([ben.uniqueId, ben.uniqueId, null, ben.uniqueId]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 3 vendors was undone.').waitFor();
    expect(await owners()).toEqual([ann.uniqueId, ben.uniqueId, null, null]);

    await page.getByLabel('Select Archive GmbH').check();
    await page.getByRole('button', { name: 'Set criticality' }).click();
    await page.getByRole('menuitem', { name: 'Medium' }).click();
    await page.getByText('1 vendor changed.').waitFor();
    await ann.caller.vendor.updateAndGet({ vendor: ids[3] ?? '', website: 'https://archive.example' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Archive GmbH: Somebody else changed it in the meantime.').waitFor();
    expect(await ann.caller.vendor.get({ vendor: ids[3] ?? '' })).toMatchObject({ criticality: 3 });
    await expectAccessible(page);

    await page.getByLabel('Select Archive GmbH').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 vendor deleted.').waitFor();
    await expect.poll(() => names(page)).toEqual(['Bank AG', 'Cloud Ltd', 'Desk Inc']);
  });

  test('has contracts and reviews by quarter, outcome and risk, which a review records', async () => {
    const { ann, ids } = await createVendors();
    const [cloud, bank] = [ids[0] ?? '', ids[1] ?? ''];
    await ann.caller.vendor.review({ vendor: bank, note: '', nextReview: null, outcome: 'approved', risk: 4 });
    const page = await openAs(ann, `/vendors/${cloud}`, { width: 1920 });
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Review Cloud Ltd' });
    await dialog.getByLabel('Outcome').selectOption('Conditional');
    await dialog.getByLabel('Risk').selectOption('High');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save review' }).click();
    await page.getByText(/^Ann reviewed this vendor as conditional with high risk/).waitFor();
    const facts = page.getByRole('region', { name: 'Properties' });
    expect(await facts.innerText()).toMatch(/Last review\s+Conditional\s*, high risk\s+Ann, /);

    const today = new Date();
    const quarter = Math.floor(today.getUTCMonth() / 3);
    const dayOf = (month: number, day: number) =>
      new Date(Date.UTC(today.getUTCFullYear(), month, day)).toISOString().slice(0, 10);
    await ann.caller.vendor.update({ vendor: cloud, contractEnd: dayOf(3 * quarter + 6, 0) });
    await page.goto(new URL('/vendors', page.url()).href);
    const row = page.getByRole('row').filter({ hasText: 'Cloud Ltd' });
    await row.getByText('Conditional').waitFor();
    for (const header of ['Contract end', 'Next review', 'Outcome'])
      expect(await page.getByRole('columnheader', { name: header }).count()).toBe(1);
    // There is room for all but one, which stays where a person chooses it.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Last review' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Last review' }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: 'Contract end: Next quarter' }).click();
    await expect.poll(() => names(page)).toEqual(['Cloud Ltd']);
    expect(search(page)).toEqual({
      contractEndAfter: dayOf(3 * quarter + 3, 1),
      contractEndBefore: dayOf(3 * quarter + 6, 0),
    });
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.locator('th').getByRole('button', { name: 'Contract end' }).click();
    await expect.poll(() => search(page)).toEqual({ sort: 'contractEnd' });
    await expect.poll(() => names(page)).toEqual(['Bank AG', 'Desk Inc', 'Cloud Ltd', 'Archive GmbH']);
    await page.goto(new URL('/vendors?outcome=approved,conditional&risk=4', page.url()).href);
    await expect.poll(() => names(page)).toEqual(['Bank AG']);
    await page.getByRole('button', { name: 'Remove filter Risk: Low' }).click();
    await expect.poll(() => names(page)).toEqual(['Bank AG', 'Cloud Ltd']);
    await page.getByLabel('Select Bank AG').check();
    await page.getByRole('button', { name: 'Set labels' }).click();
    await page.getByRole('combobox', { name: 'Labels' }).fill('finance');
    await page.getByRole('combobox', { name: 'Labels' }).press('Enter');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 vendor changed.').waitFor();
    expect(await ann.caller.vendor.get({ vendor: bank })).toMatchObject({ labels: ['finance'] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change of 1 vendor was undone.').waitFor();
    expect(await ann.caller.vendor.get({ vendor: bank })).toMatchObject({ labels: [] });
  });

  test('has the views "Reviews due" and "Overdue reviews", to which the overview leads', async () => {
    const { ann } = await createVendors();
    const page = await openAs(ann, '/');
    const panel = page.getByRole('region', { name: 'Vendor reviews' });
    await expect.poll(() => panel.getByRole('listitem').allInnerTexts()).toEqual(['Overdue\n1', 'This month\n1']);
    await expectGoodViews(page);
    await panel.getByRole('link', { name: 'Overdue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overdue reviews' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['Cloud Ltd']);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reviews due' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reviews due' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['Bank AG']);
    expect(await page.getByRole('row').filter({ hasText: 'Bank AG' }).innerText()).toContain('in 12 days');
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByText('in 12 days').waitFor();
  });

  test('is where the reminders of the inbox lead, which name the date', async () => {
    const { company, ann, ids } = await createVendors();
    const add = (reason: string, vendor: string | undefined, date: string) =>
      sql(
        `insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion)
         values ($1, $2, uuid_v7(), now(), $3, 'vendor', $4, $5)`,
        company.id,
        ann.uniqueId,
        reason,
        vendor,
        `${date}/30`,
      );
    await add('review', ids[0], dateIn(0));
    await add('contract', ids[1], dateIn(60));
    await add('review', ids[2], dateIn(30));
    await add('contract', ids[3], '2026-01-05');
    const page = await openAs(ann, '/inbox');
    await expect
      .poll(() => page.locator('.inbox-sentence').allInnerTexts())
      .toEqual([
        'The contract with Archive GmbH ended on Jan 5, 2026',
        `The review of Desk Inc is due on ${dateText(dateIn(30))}`,
        `The contract with Bank AG ends on ${dateText(dateIn(60))}`,
        'The review of Cloud Ltd is due today',
      ]);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Desk Inc' }).click();
    await page.waitForURL(`**/vendors/${ids[2]}`);
  });
});
