import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

/** A vendor that was reviewed twice after all of its facts were set, and a task that names it. */
async function createHistory() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const ben = await createMember(company, { name: 'Ben Berg' });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd' });
  const { uniqueId: other } = await ann.caller.vendor.create({ name: 'Bank AG' });
  for (const changes of [
    { criticality: 2 },
    { criticality: 1 },
    { ownerId: ben.uniqueId },
    { reviewEveryMonths: 6 },
    { reviewEveryMonths: 12 },
    { contacts: [{ name: 'Ada Berg', email: 'ada@cloud.example', role: 'Director' }] },
    { contractStart: '2026-01-01', contractEnd: '2026-12-31', dataCategories: ['customer data'] },
  ])
    await ann.caller.vendor.update({ vendor, ...changes });
  await ben.caller.vendor.review({ vendor, note: 'SOC 2 report is current.\nNo findings.', nextReview: '2027-06-01' });
  await ann.caller.vendor.review({ vendor, nextReview: null });
  const { uniqueId: taskUniqueId } = await ann.caller.task.create({
    framework: company.framework,
    title: 'Read the report',
    dueDate: '2026-12-31',
  });
  await ben.caller.task.update({ taskUniqueId, vendors: [vendor, other] });
  await ann.caller.task.update({ taskUniqueId, recurrence: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1' });
  return { company, ann, vendor, taskUniqueId };
}

describeInBrowser('changes of the facts of a vendor', () => {
  test('read as people read them on its page, in the audit log and on the page of a task', async () => {
    const { company, ann, vendor, taskUniqueId } = await createHistory();
    await inOneMinute(company);
    const page = await openAs(ann, `/vendors/${vendor}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const group = timeline.getByRole('button', { name: /^Ann changed the criticality/ });
    await group.click();
    for (const text of [
      'Ann reviewed this vendor and removed the next review',
      'Ben Berg reviewed this vendor and set the next review to Jun 1, 2027',
      'set the criticality to High',
      'changed the criticality from High to Critical',
      'set the owner to Ben Berg',
      'set the months between reviews to 6',
      'changed the months between reviews from 6 to 12',
      'changed the contacts',
    ])
      await timeline.getByText(text).first().waitFor();
    const review = timeline.getByRole('listitem').filter({ hasText: 'Ben Berg reviewed' });
    expect(await review.innerText()).toContain('SOC 2 report is current.\nNo findings.');
    await timeline.getByText('Ada Berg, Director, ada@cloud.example').waitFor();
    expect(await timeline.innerText()).not.toMatch(/[{}]/);
    const facts = await page.getByRole('region', { name: 'Properties' }).innerText();
    expect(facts).toMatch(/Last review\s+Ann,\s+\w+ \d+, \d{4}/);
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Audit log' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    const row = log.getByRole('row').filter({ hasText: 'Ben Berg reviewed Cloud Ltd and set the next review' });
    await row.getByRole('button').first().click();
    await log.getByText(/by Ben Berg: SOC 2 report is current/).waitFor();
    expect(await log.innerText()).not.toMatch(/[{}]/);
    await expectAccessible(page);

    await page.goto(`${new URL(page.url()).origin}/tasks/${taskUniqueId}`);
    await page.getByText('set the vendors to Cloud Ltd, Bank AG').waitFor();
    const recurrence = page.getByRole('listitem').filter({ hasText: 'Ann changed the recurrence' });
    await recurrence.getByText('Every 3 months on the last day').waitFor();
  });

  test('of one minute are one line, and reviews are counted', async () => {
    const { company, ann, vendor } = await createHistory();
    for (const note of ['One', 'Two']) await ann.caller.vendor.review({ vendor, note });
    await inOneMinute(company);
    const page = await openAs(ann, `/vendors/${vendor}`);
    const line = page.getByRole('button', { name: 'Ann reviewed this vendor 3 times' });
    await line.click();
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await page.getByText('One', { exact: true }).waitFor();
  });
});
