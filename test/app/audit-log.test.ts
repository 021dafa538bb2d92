import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  applicationOrigin,
  choose,
  describeInBrowser,
  expectAccessible,
  expectGoodViews,
  openAs,
} from '../support/app/application.ts';
import { tamper } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

/** Long enough for a busy machine. */
const WAIT = { timeout: 120_000 };

/** A company with events of several types. */
async function createCompanyWithEvents() {
  const acme = await createCompany();
  const ann = await createMember(acme);
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  await ann.caller.vendor.update({ vendor: uniqueId, name: 'Cloud Limited', status: 'inactive' });
  await acme.newTask();
  return { acme, ann, vendor: uniqueId };
}

describeInBrowser('the audit log', () => {
  test('shows the differences of an event', async () => {
    const { ann } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    const button = page.getByRole('table').getByRole('button', { name: 'Changed vendor' });
    await button.click();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const fields = page.locator('.changes');
    await fields.waitFor();
    expect(await fields.textContent()).toContain('Cloud Ltd → Cloud Limited');
    expect(await fields.textContent()).toContain('Active → Inactive');
    await button.click();
    await fields.waitFor({ state: 'detached' });
  });

  test('filters by resource type, action, actor and period under the names of the API', async () => {
    const { ann, vendor } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    const rows = page.getByRole('table').locator('tbody tr[aria-rowindex]');
    await choose(page, 'Resource type', 'Vendor');
    await page.waitForURL(/resourceType=vendor/);
    await choose(page, 'Actor', 'Ann');
    await page.waitForURL(/actor=/);
    await choose(page, 'Action', 'Changed vendor');
    await page.waitForURL(/action=vendor.update/);
    await page.getByLabel('From date').fill('2020-01-31');
    await page.waitForURL(/since=2020-01-3/);
    await expect.poll(() => rows.count(), WAIT).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      resourceType: 'vendor',
      actor: ann.uniqueId,
      action: 'vendor.update',
    });
    await page.getByLabel('To date').fill('2020-12-31');
    await page.getByText('No event matches these filters').waitFor();
    await page.goto(`${applicationOrigin()}/audit-log?resourceId=${vendor}`);
    await expect.poll(() => rows.count(), WAIT).toBe(2);
  });

  test('exports the events that match the filters', async () => {
    const { ann, acme } = await createCompanyWithEvents();
    await Promise.all(Array.from({ length: 130 }, (_, index) => acme.vendor.create({ name: `Vendor ${index}` })));
    const page = await openAs(ann, '/audit-log?action=vendor.create');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('audit-log.ndjson');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { action: string; changes: { name: string } });
    expect(events).toHaveLength(131);
    expect(events.at(-1)).toMatchObject({ action: 'vendor.create', changes: { name: 'Cloud Ltd' } });
    await page.getByText('audit-log.ndjson has 131 events.').waitFor();
  });

  test('verifies that nobody changed the events, and says what it means', async () => {
    const { ann } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The audit log is intact.').waitFor();
    await page.getByText(/^\d+ events are sealed\./).waitFor();
    await expectAccessible(page, 'audit-log-intact');
  });

  test('names the first event that was changed in the database', async () => {
    const { acme, ann, vendor } = await createCompanyWithEvents();
    await acme.manage.audit.verify({});
    await tamper(`update audit_event set changes = '{}' where resource_id = '${vendor}' and action = 'vendor.create'`);
    const page = await openAs(ann, '/audit-log');
    await page.getByRole('button', { name: 'Verify' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The audit log is not intact').waitFor();
    expect(await alert.textContent()).toMatch(/seq \d+: event \d+, vendor.create, or its seal was modified/);
    await expectAccessible(page, 'audit-log-broken');
  });

  test('lets an editor read and export, and not verify', async () => {
    const { acme } = await createCompanyWithEvents();
    const page = await openAs(await createMember(acme, { role: 'editor' }), '/audit-log');
    await page.getByRole('button', { name: 'Changed vendor' }).waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0);
  });

  test('is accessible in every view', async () => {
    const { ann } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    await page.getByRole('button', { name: 'Changed vendor' }).click();
    await page.locator('.changes').waitFor();
    await expectGoodViews(page, 'audit-log');
  });
});
