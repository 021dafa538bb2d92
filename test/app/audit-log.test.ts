import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import { applicationOrigin, choose, describeInBrowser, openAs } from '../support/app/application.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { inOneMinute } from '../support/app/one-minute.ts';
import { tamper } from '../support/database/database.ts';
import { writeAccountEvent } from '../support/tenants/account-events.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';

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

/** A company in which a person created more vendors in one minute than a page has. */
async function createCompanyWithRepetitions() {
  const { acme, ann } = await createCompanyWithEvents();
  const ids: string[] = [];
  for (let number = 1; number <= 160; number += 1)
    ids.push((await ann.caller.vendor.create({ name: `Vendor ${number}` })).uniqueId);
  await inOneMinute(acme);
  return { acme, ann, ids };
}

const rowsOf = (page: Page) => page.getByRole('table').locator('tbody tr[aria-rowindex]');

describeInBrowser('the audit log', () => {
  test('says in a sentence what happened to a thing, with its name, its link and the exact time', async () => {
    const { ann, acme, vendor } = await createCompanyWithEvents();
    const bob = await createMember(acme, { name: 'Bob Berg' });
    const { uniqueId: task } = await acme.newTask({ title: 'Review access' });
    await ann.caller.task.update({ taskUniqueId: task, title: 'Review access rights' });
    await ann.caller.task.update({ taskUniqueId: task, status: 'done', priority: 1 });
    await ann.caller.management.member.invite({ email: 'eve@example.com', role: 'editor' });
    await ann.caller.management.gap.archive({ id: acme.gap });
    await ann.caller.vendor.delete({ vendor });
    await ann.caller.management.member.end({ uniqueId: bob.uniqueId });
    await inOneMinute(acme);
    const page = await openAs(ann, '/audit-log');
    const rows = rowsOf(page);
    await rows.first().waitFor();
    const sentences = await rows.locator('td:first-child').allInnerTexts();
    for (const sentence of [
      'Ann ended the membership of Bob Berg',
      'Ann deleted the vendor “Cloud Limited”',
      'Ann archived the gap No access review',
      'Ann invited eve@example.com',
      'Ann changed the name and status of “Cloud Limited”',
      'Bob Berg added the member Bob Berg',
    ])
      expect(sentences).toContain(sentence);
    // The two changes of the task are one line.
    expect(sentences).toContain('Ann changed the title, priority, and status of Review access rights 2 times');
    await page.getByRole('button', { name: /^Events: Ann changed/ }).click();
    await page
      .getByText('changed the title of Review access rights from Review access to Review access rights')
      .waitFor();
    expect(await page.getByRole('cell', { name: 'Ann deleted the vendor' }).getByRole('link').count()).toBe(0);
    expect(await rows.first().locator('td').last().innerText()).toMatch(/^\w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M$/);
    await page.getByRole('link', { name: 'Bob Berg' }).first().waitFor();
    await page.getByRole('link', { name: 'Review access rights' }).first().click();
    await page.waitForURL(new RegExp(`/tasks/${task}`));
  });

  test('shows the differences of an event, its request, and all events of the same thing', async () => {
    const { acme, ann } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    await page.getByText(`${(await acme.events()).length} events`, { exact: true }).waitFor();
    const button = page.getByRole('button', { name: 'Details: Ann changed the name and status of Cloud Limited' });
    await button.click();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const fields = page.locator('.changes');
    await fields.waitFor();
    expect(await fields.textContent()).toContain('Cloud Ltd → Cloud Limited');
    expect(await fields.textContent()).toContain('Active → Inactive');
    await page.getByRole('button', { name: 'Details for integrators' }).click();
    await page.getByText('member-request').waitFor();
    await page.getByRole('link', { name: 'All events of Cloud Limited' }).click();
    await page.getByRole('button', { name: 'Remove filter Resource: Cloud Limited' }).waitFor();
    await expect.poll(() => rowsOf(page).count(), WAIT).toBe(2);
    await page.getByText('2 events', { exact: true }).waitFor();
    await button.click();
    await fields.waitFor({ state: 'detached' });
  });

  test('says in words how somebody signs in now, without an empty list of changes', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const ben = await createMember(acme, { name: 'Ben Berg', role: 'editor' });
    const of = ben.user.uniqueId;
    await writeAccountEvent(acme, 'prove', { of, by: OPERATOR.uniqueId });
    await writeAccountEvent(acme, 'resetPassword', { of, by: ann.user.uniqueId });
    for (const verb of ['passwordReset', 'passwordChange', 'totpEnable', 'totpDisable', 'passkeyRemove'] as const)
      await writeAccountEvent(acme, verb, { of, by: of });
    await writeAccountEvent(acme, 'passkeyAdd', { of, by: of });
    await writeAccountEvent(acme, 'passkeyAdd', { of, by: of });
    await inOneMinute(acme);
    const page = await openAs(ann, '/audit-log?resourceType=member');
    await expect
      .poll(async () => (await rowsOf(page).locator('.audit-event').allInnerTexts()).map((text) => text.split('\n')[0]))
      .toEqual([
        'Ben Berg added a passkey to their own account 2 times',
        'Ben Berg removed a passkey from their own account',
        'Ben Berg turned off their own second factor',
        'Ben Berg turned on their own second factor',
        'Ben Berg changed their own password',
        'Ben Berg reset their own password with a link',
        'Ann created a link to reset the password of Ben Berg',
        'Operator confirmed the email of Ben Berg',
        'Ben Berg added the member Ben Berg',
        'Ann added the member Ann',
      ]);
    await page.getByRole('button', { name: 'Details: Ben Berg changed their own password' }).click();
    await page.getByRole('button', { name: 'Details for integrators' }).click();
    await page.getByText('Event id').waitFor();
    expect(await page.locator('.changes').count()).toBe(0);
    await page.getByRole('button', { name: /^Events: Ben Berg added a passkey/ }).click();
    await expectAccessible(page);
    await choose(page, 'Action', 'Reset their own password with a link');
    await page.waitForURL(/action=member.passwordReset/);
    await expect.poll(() => rowsOf(page).count(), WAIT).toBe(1);
  });

  test('shows what one person did many times in a minute as one line, also across pages, which unfolds', async () => {
    const { ann, ids } = await createCompanyWithRepetitions();
    const page = await openAs(ann, '/audit-log');
    const line = page.getByRole('button', { name: 'Events: Ann created 160 vendors' });
    await line.waitFor();
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    const table = page.getByRole('table', { name: 'Audit log' });
    const rowCount = async () => Number(await table.getAttribute('aria-rowcount'));
    await page.getByText('Ann created 160 vendors: Vendor 160, Vendor 159 and 158 more').waitFor();
    const folded = await rowCount();
    await line.click();
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(rowCount, WAIT).toBe(folded + 160);
    await page.getByText('Ann created the vendor Vendor 160').waitFor();
    await page.getByRole('link', { name: 'Vendor 158', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Vendor 158', exact: true }).getAttribute('href')).toBe(
      `/vendors/${ids[157]}`,
    );
    await line.click();
    await expect.poll(rowCount, WAIT).toBe(folded);
  });

  test('finds a text in names and changes, and exports what it found', async () => {
    const { acme, ann } = await createCompanyWithEvents();
    await tamper(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
       select ${acme.id}, uuid_v7(), now() + interval '1 minute', '${OPERATOR.uniqueId}', 'gap.update', 'gap', '1', '{}', 'r' from generate_series(1, 2500)`,
    );
    const page = await openAs(ann, '/audit-log');
    await rowsOf(page).first().waitFor();
    await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('cloud limited');
    await page.waitForURL(/q=cloud/);
    await expect
      .poll(() => rowsOf(page).locator('td:first-child').allInnerTexts(), WAIT)
      .toEqual([
        expect.stringContaining('Ann changed the name and status of Cloud Limited'),
        expect.stringContaining('created the vendor Cloud Limited'),
      ]);
    expect(await page.getByRole('button', { name: 'Export' }).isEnabled()).toBe(true);
  });

  test('filters by resource type, action, person and period in the URL, and removes each filter', async () => {
    const { ann, vendor } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    const rows = rowsOf(page);
    await choose(page, 'Resource type', 'Vendor');
    await page.waitForURL(/resourceType=vendor/);
    await choose(page, 'Person', 'Ann');
    await page.waitForURL(/actor=/);
    await choose(page, 'Action', 'Changed vendors');
    await page.waitForURL(/action=vendor.update/);
    await page.getByLabel('From date').fill('2020-01-31');
    await page.waitForURL(/since=2020-01-3/);
    await expect.poll(() => rows.count(), WAIT).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      resourceType: 'vendor',
      actor: ann.uniqueId,
      action: 'vendor.update',
    });
    await page.reload();
    await expect.poll(() => rows.count(), WAIT).toBe(1);
    expect(await page.getByRole('combobox', { name: 'Person' }).inputValue()).toBe('Ann');
    const chips = page.getByRole('button', { name: 'Remove filter' });
    expect(await chips.allTextContents()).toEqual([
      'Resource type: Vendor',
      'Person: Ann',
      'Action: Changed vendors',
      'From: Jan 31, 2020',
    ]);
    await page.getByRole('button', { name: 'Remove filter Action: Changed vendors' }).click();
    await page.waitForURL((url) => !url.searchParams.has('action'));
    expect(await chips.count()).toBe(3);
    await page.getByLabel('To date').fill('2020-12-31');
    await page.getByText('No events match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await chips.first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await page.goto(`${applicationOrigin()}/audit-log?resourceId=${vendor}`);
    await expect.poll(() => rows.count(), WAIT).toBe(2);
  });

  test('exports exactly the events that match the filters, from every page', async () => {
    const { ann, acme } = await createCompanyWithRepetitions();
    const page = await openAs(ann, `/audit-log?action=vendor.create&actor=${ann.uniqueId}`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'JSON, one event on each line' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('audit-log.ndjson');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    const filters = { action: 'vendor.create', actor: ann.uniqueId } as const;
    const pages = await Array.fromAsync(readPages((position) => acme.audit.list({ ...filters, ...position })));
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(pages.flatMap(({ items }) => items));
    expect(lines).toHaveLength(160);
    await page.getByText('audit-log.ndjson has 160 events.').waitFor();
  });

  test('verifies that nobody changed the events, and says what it means', async () => {
    const { ann } = await createCompanyWithEvents();
    const page = await openAs(ann, '/audit-log');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The audit log is intact.').waitFor();
    await page.getByText(/^\d+ events are sealed\./).waitFor();
    await expectAccessible(page);
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
    await expectAccessible(page);
  });

  test('lets an editor read and export, and not verify', async () => {
    const { acme } = await createCompanyWithEvents();
    const page = await openAs(await createMember(acme, { role: 'editor' }), '/audit-log');
    await page.getByRole('button', { name: 'Details: Ann changed the name' }).waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0);
  });

  test('is accessible in every view, with details and an unfolded line', async () => {
    const { acme, ann } = await createCompanyWithEvents();
    for (const name of ['Mail Inc', 'Paper Ltd']) await ann.caller.vendor.create({ name });
    await inOneMinute(acme);
    const page = await openAs(ann, '/audit-log?resourceType=vendor');
    await page.getByRole('button', { name: 'Events: Ann created 2 vendors' }).click();
    await page.getByText('created the vendor Paper Ltd').waitFor();
    await page.getByRole('button', { name: 'Details: Ann changed the name' }).click();
    await page.locator('.changes').waitFor();
    await expectGoodViews(page);
  });
});
