import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, openAsMember } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const dateText = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

const FACTS = {
  name: 'Cloud Ltd',
  description: '<p>Hosts our <b>production</b> systems.</p>',
  website: 'https://cloud.example/trust',
  criticality: 1,
  labels: ['hosting', 'eu'],
  dataCategories: ['customer data'],
  contractStart: '2025-01-01',
  contractEnd: dateIn(-3),
  reviewEveryMonths: 12,
  nextReview: dateIn(-42),
  contacts: [
    { name: 'Ada Berg', email: 'ada@cloud.example', role: 'Account manager' },
    { name: 'Support desk', email: null, role: null },
  ],
};

/** A vendor with all facts and three tasks, which Ben owns. */
async function createVendor(role: 'admin' | 'auditor' = 'admin') {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben Berg' });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ ...FACTS, ownerId: ben.uniqueId });
  const { framework } = company;
  const tasks = [
    { title: 'Ask for the SOC 2 report', dueDate: dateIn(20) },
    { title: 'Review the contract', dueDate: dateIn(-2) },
    { title: 'Sign the data processing agreement', dueDate: '2026-01-05' },
  ];
  for (const task of tasks) {
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({ ...task, framework, vendors: [vendor] });
    if (task.dueDate === '2026-01-05') await ann.caller.task.update({ taskUniqueId, status: 'done' });
  }
  const reader = role === 'admin' ? ann : await createMember(company, { name: 'Bea', role });
  return { company, ann, ben, vendor, reader, stored: () => ann.caller.vendor.get({ vendor }) };
}

const properties = (page: Page) => page.getByRole('region', { name: 'Properties' });

/** Types into a field and leaves it. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = properties(page).getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press('Enter');
}

describeInBrowser('the record of a vendor', () => {
  test('gets all facts in the browser and a review, and is listed a month before the next one', async () => {
    const { ann, page } = await openAsMember('/vendors', { name: 'Ann' });
    await page.getByRole('button', { name: 'New vendor' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Cloud Ltd');
    await dialog.getByLabel('Criticality').click();
    await page.getByRole('option', { name: 'High' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Cloud Ltd' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cloud Ltd' }).waitFor();
    const [{ uniqueId: vendor } = { uniqueId: '' }] = await ann.caller.vendor.list();
    const stored = () => ann.caller.vendor.get({ vendor });
    expect(await stored()).toMatchObject({ criticality: 2 });

    await page.getByRole('button', { name: 'Make me the owner' }).click();
    await fill(page, 'Website', 'https://cloud.example/trust');
    await fill(page, 'Months between reviews', '6');
    await fill(page, 'Contract start', '2026-01-01');
    await fill(page, 'Contract end', '2026-12-31');
    for (const [label, word] of [
      ['Labels', 'hosting'],
      ['Data categories', 'customer data'],
    ] as const)
      await fill(page, label, word);
    await page.getByRole('button', { name: 'Add contact' }).click();
    const contact = page.getByRole('dialog', { name: 'Add contact' });
    await contact.getByLabel('Name').fill('Ada Berg');
    await contact.getByLabel('Role').fill('Account manager');
    await contact.getByLabel('Email').fill('ada');
    await contact.getByRole('button', { name: 'Save' }).click();
    await contact.getByText('Enter an email address.').waitFor();
    await contact.getByLabel('Email').fill('ada@cloud.example');
    await page.keyboard.press('Enter');
    await contact.waitFor({ state: 'hidden' });
    await expect.poll(stored).toMatchObject({
      owner: { name: 'Ann' },
      website: 'https://cloud.example/trust',
      reviewEveryMonths: 6,
      contractStart: '2026-01-01',
      contractEnd: '2026-12-31',
      labels: ['hosting'],
      dataCategories: ['customer data'],
      contacts: [{ name: 'Ada Berg', role: 'Account manager', email: 'ada@cloud.example' }],
    });

    await page.getByRole('button', { name: 'Review', exact: true }).click();
    const review = page.getByRole('dialog', { name: 'Review Cloud Ltd' });
    await review.getByLabel('Note').fill('SOC 2 report is current.\nNo findings.');
    const proposed = new Date();
    proposed.setUTCMonth(proposed.getUTCMonth() + 6);
    expect((await review.getByLabel('Next review').inputValue()).slice(0, 7)).toBe(proposed.toISOString().slice(0, 7));
    await expectAccessible(page);
    await review.getByLabel('Next review').fill(dateIn(31));
    await review.getByRole('button', { name: 'Save review' }).click();
    await page.getByText(`Cloud Ltd was reviewed. The next review is on ${dateText(dateIn(31))}.`).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Review');
    expect(await stored()).toMatchObject({
      nextReview: dateIn(31),
      lastReview: { by: { name: 'Ann' }, note: 'SOC 2 report is current.\nNo findings.' },
    });
    expect(await properties(page).getByLabel('Next review').inputValue()).toBe(dateIn(31));
    const event = page.getByRole('listitem').filter({ hasText: 'reviewed this vendor' });
    await event.getByText(`Ann reviewed this vendor and set the next review to ${dateText(dateIn(31))}`).waitFor();
    await event.getByText('No findings.').waitFor();

    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reviews due' });
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Reviews due' }).waitFor();
    await page.getByText('No vendors match these filters.').waitFor();
    await ann.caller.vendor.update({ vendor, nextReview: dateIn(30) });
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'Cloud Ltd' });
    await row.getByText('in 30 days').waitFor();
  });

  test('shows both contacts in words when two people change them, and edits and removes one', async () => {
    const { ben, vendor, reader, stored } = await createVendor();
    const page = await openAs(reader, `/vendors/${vendor}`);
    await page.getByRole('button', { name: 'Edit contact Ada Berg' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit contact' });
    expect(await dialog.getByLabel('Email').inputValue()).toBe('ada@cloud.example');
    await dialog.getByLabel('Role').fill('Director');
    await ben.caller.vendor.update({ vendor, contacts: [{ name: 'Cleo', email: null, role: null }], criticality: 3 });
    expectConsole(/412/);
    await page.keyboard.press('Enter');
    const conflict = page.getByRole('dialog', { name: 'Somebody changed this' });
    await conflict.getByText('Ada Berg, Director, ada@cloud.example; Support desk').waitFor();
    await conflict.getByText('Cleo').waitFor();
    await conflict.getByText('Medium').waitFor();
    expect(await conflict.innerText()).not.toContain('{');
    await expectAccessible(page);
    await conflict.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await stored()).contacts.map(({ name }) => name))
      .toEqual(['Ada Berg', 'Support desk']);
    // A second change in the same minute would join its line.
    const event = page.getByRole('listitem').filter({ hasText: 'changed the contacts' }).first();
    await event.getByText('Ada Berg, Director, ada@cloud.example; Support desk').waitFor();
    await page.getByRole('button', { name: 'Remove contact Support desk' }).click();
    await expect.poll(async () => (await stored()).contacts.map(({ role }) => role)).toEqual(['Director']);
  });

  test('says under the field why a fact could not be saved', async () => {
    const { vendor, reader } = await createVendor();
    const page = await openAs(reader, `/vendors/${vendor}`);
    expectConsole(/400|422/);
    await fill(page, 'Website', 'cloud.example');
    await page.getByRole('alert').filter({ hasText: 'Not saved.' }).waitFor();
    await properties(page).getByLabel('Website').press('Escape');
    await fill(page, 'Contract end', '2024-01-01');
    await page.getByRole('alert').filter({ hasText: 'Not saved. 2024-01-01 is before contract start' }).waitFor();
    await properties(page).getByLabel('Contract end').press('Escape');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('lists the open tasks of the vendor first, and leads to all of them', async () => {
    const { vendor, reader } = await createVendor();
    const page = await openAs(reader, `/vendors/${vendor}`);
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.getByText('2 days overdue').waitFor();
    expect(await tasks.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual([
      'Review the contract',
      'Ask for the SOC 2 report',
      'Sign the data processing agreement',
    ]);
    expect(await tasks.getByRole('link', { name: 'Show all 3 tasks' }).getAttribute('href')).toBe(
      `/tasks?vendor=${vendor}`,
    );
    await expectGoodViews(page);
    for (const width of [600, 800, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  test('is text for an auditor', async () => {
    const { vendor, reader } = await createVendor('auditor');
    const page = await openAs(reader, `/vendors/${vendor}`, { width: 375 });
    await page.getByRole('button', { name: 'More facts' }).click();
    const regions = [properties(page), page.getByRole('region', { name: 'More facts' })];
    const facts = (await Promise.all(regions.map((region) => region.innerText()))).join('\n');
    for (const text of [
      /Criticality\s+Critical/,
      /Owner\s+BB\s+Ben Berg/,
      /Next review\s+[A-Z].*42 days overdue/,
      /Months between reviews\s+12/,
      /Website\s+https:\/\/cloud\.example\/trust/,
      /Contract start\s+Jan 1, 2025/,
      /Contract end\s+[A-Z].*3 days ago/,
      /Labels\s+(hosting, eu|eu, hosting)/,
      /Data categories\s+customer data/,
      /Contacts\s+Ada Berg, Account manager\s+ada@cloud\.example\s+Support desk/,
      /Last review\s+None/,
    ])
      expect(facts).toMatch(text);
    expect(await properties(page).locator('input, textarea, [contenteditable=true]').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Review', exact: true }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('prints its facts as text, without inputs and buttons', async () => {
    const { vendor, reader } = await createVendor();
    const page = await openAs(reader, `/vendors/${vendor}`);
    await page.getByRole('region', { name: 'Tasks' }).getByText('2 days overdue').waitFor();
    await page.emulateMedia({ media: 'print' });
    await properties(page).getByText('12', { exact: true }).waitFor();
    expect(await page.locator('.record-panel input:visible, .record-panel button:visible').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Review', exact: true }).isVisible()).toBe(false);
  });

  test('asks for the name before evidence or comments of others are deleted with it', async () => {
    const { ben, vendor, reader } = await createVendor();
    const page = await openAs(reader, `/vendors/${vendor}`);
    await ben.caller.comment.create({ vendor, text: '<p>Checked</p>' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this vendor?' });
    await dialog.getByText('0 pieces of evidence and 1 comment.').waitFor();
    await dialog.getByRole('button', { name: 'Delete vendor' }).click();
    await dialog.getByText('Enter the name of the vendor.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Cloud Ltd');
    await dialog.getByRole('button', { name: 'Delete vendor' }).click();
    await page.getByText('“Cloud Ltd” was deleted.').waitFor();
    await page.waitForURL('**/vendors');
  });

  test('that has only own comments is deleted at once', async () => {
    const { ann, vendor, reader } = await createVendor();
    await ann.caller.comment.create({ vendor, text: '<p>Checked</p>' });
    const page = await openAs(reader, `/vendors/${vendor}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('“Cloud Ltd” was deleted.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('that is archived cannot be reviewed', async () => {
    const { ann, vendor, reader, stored } = await createVendor();
    await ann.caller.vendor.update({ vendor, status: 'archived' });
    const page = await openAs(reader, `/vendors/${vendor}`);
    const button = page.getByRole('button', { name: 'Review', exact: true });
    await button.hover();
    await page.getByText('An archived vendor cannot be reviewed.').waitFor();
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Status').click();
    await page.getByRole('option', { name: 'Active', exact: true }).click();
    await expect.poll(stored).toMatchObject({ status: 'active' });
    await button.click();
    await page.getByRole('dialog', { name: 'Review Cloud Ltd' }).waitFor();
  });
});
