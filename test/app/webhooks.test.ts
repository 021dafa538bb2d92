import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/src/index.ts';
import { EVENT_TYPES } from '../../entities/webhook/event-type.ts';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
} from '../support/app/application.ts';
import { startReceiver, useWebhookJobs } from '../support/app/webhooks.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

/** Long enough for a busy machine. */
const WAIT = { timeout: 60_000 };

/** An admin with an endpoint, and the program behind it. */
async function adminWithEndpoint(status?: number) {
  const company = await createCompany();
  const ann = await createMember(company);
  const receiver = await startReceiver(status);
  const { uniqueId, secret } = await ann.caller.webhook.create({ url: receiver.url, events: ['vendor.*'] });
  return { company, ann, receiver, uniqueId, secret };
}

const logRow = (page: Page, type: string) =>
  page.getByRole('table', { name: 'Delivery log' }).getByRole('row').filter({ hasText: type }).first();

/** Reads the secret of the dialog with this title, and closes the dialog. */
async function readSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  return secret;
}

describeInBrowser('an admin', () => {
  useWebhookJobs();

  test('creates an endpoint whose secret is shown once and verifies the next change', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const receiver = await startReceiver();
    const page = await openAs(ann, '/webhooks');
    await page.getByText('A webhook sends every change').waitFor();
    await expectGoodViews(page);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Description').fill('Ticket sync');
    await dialog.getByLabel('Selected events').check();
    await dialog.getByLabel('task.*').check();
    expect(await dialog.getByLabel('task.delete').isChecked()).toBe(true);
    await dialog.getByLabel('vendor.create').check();
    await expectGoodViews(page);
    await dialog.getByRole('button', { name: 'Save' }).click();

    await page.getByRole('dialog', { name: 'Endpoint created' }).waitFor();
    await expectGoodViews(page);
    await page.keyboard.press('Escape');
    const secret = await readSecret(page, 'Endpoint created');
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('table').getByRole('link', { name: receiver.url }).click();
    await page.getByRole('heading', { level: 1, name: 'Ticket sync' }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByText('task.*, vendor.create').waitFor();

    const vendor = await company.vendor.create({ name: 'Cloud Ltd' });
    await logRow(page, 'vendor.create').getByText('204 Delivered').waitFor();
    const [request] = receiver.requests;
    const event = await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret);
    expect(event).toMatchObject({ type: 'vendor.create', data: { resource: { uniqueId: vendor.uniqueId } } });
  });

  test('may select every event type', async () => {
    const { page } = await openAsMember('/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Selected events').check();
    const names = await page
      .getByRole('checkbox')
      .evaluateAll((boxes) => boxes.map((box) => (box as { ariaLabel?: string }).ariaLabel ?? ''));
    expect(names.filter((name) => name !== '').toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });

  test('keeps what was typed if an endpoint is rejected, and reads why at the field', async () => {
    const { page } = await openAsMember('/webhooks');
    expectConsole(/400/);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('hooks.example.com');
    await dialog.getByLabel('Selected events').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('expected an http or https URL').waitFor();
    await dialog.getByText('expected at least one event type').waitFor();
    expect(await dialog.getByLabel('URL').inputValue()).toBe('hooks.example.com');
    // The head of the dialog covers a part of what is scrolled below it.
    await dialog.getByLabel('URL').scrollIntoViewIfNeeded();
    await expectAccessible(page);
  });

  test('sends a test event', async () => {
    const { ann, receiver, uniqueId, secret } = await adminWithEndpoint();
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('The test event is in the log.').waitFor();
    const row = logRow(page, 'webhook.test');
    await row.getByText('204 Delivered').waitFor();
    expect(await row.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    const [request] = receiver.requests;
    expect(await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)).toMatchObject({
      type: 'webhook.test',
      sequence: null,
    });
  });

  test('sends the example of a type', async () => {
    const { ann, receiver, uniqueId } = await adminWithEndpoint();
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    const types = page.getByRole('combobox', { name: 'Type of the test event' });
    await types.waitFor();
    expect((await types.getByRole('option').allTextContents()).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    await types.selectOption('task.update');
    await page.getByRole('button', { name: 'Send test event' }).click();
    await logRow(page, 'task.update').getByText('204 Delivered').waitFor();
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({ type: 'task.update', sequence: null });
  });

  test('gives an endpoint headers, sees their names only, and replaces all of them', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const receiver = await startReceiver();
    const page = await openAs(ann, '/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add header' }).click();
    await dialog.getByLabel('Name of header 1').fill('Host');
    await dialog.getByLabel('Value of header 1').fill('Bearer first-secret');
    expectConsole(/400/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Is set by the service').waitFor();
    await dialog.getByLabel('Name of header 1').fill('X Team');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Expected the name of an HTTP header').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await expectGoodViews(page);
    await dialog.getByLabel('Name of header 1').fill('Authorization');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await readSecret(page, 'Endpoint created');
    await page.getByRole('table').getByRole('link', { name: receiver.url }).click();
    await page.getByRole('definition').filter({ hasText: 'Authorization' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit endpoint' });
    await edit.getByText('Authorization', { exact: true }).waitFor();
    await expectGoodViews(page);
    await edit.getByRole('button', { name: 'Replace headers' }).click();
    expect(await edit.getByLabel('Value of header 1').inputValue()).toBe('');
    await edit.getByLabel('Value of header 1').fill('Bearer second-secret');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send test event' }).click();
    await logRow(page, 'webhook.test').getByText('204 Delivered').waitFor();
    const sent = receiver.requests.find(({ body }) => body.includes('webhook.test'));
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer second-secret' });
    expect(await page.content()).not.toContain('second-secret');
  });

  test('sees the error of a delivery and its next attempt, and replays the event', async () => {
    const { company, ann, receiver, uniqueId } = await adminWithEndpoint(500);
    receiver.response.headers = { 'Retry-After': '7300' };
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    await company.vendor.create({ name: 'Cloud Ltd' });
    const row = logRow(page, 'vendor.create');
    await row.getByText('500 Retrying').waitFor();
    await row.getByText('in 2 hours').waitFor();
    await row.getByText('expected a 2xx response, received 500').waitFor();
    await row.getByRole('button', { name: 'vendor.create' }).click();
    await page.getByRole('definition').filter({ hasText: 'received 500' }).waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await logRow(page, 'webhook.test').getByText('500 Retrying').waitFor();
    await expectGoodViews(page);

    await page.getByRole('link', { name: 'Back to the webhooks' }).click();
    const endpoint = page.getByRole('row').filter({ hasText: receiver.url });
    await endpoint.getByText(/^Failing since \w+\s\d+,\s20\d\d$/).waitFor();
    await endpoint.getByText('expected a 2xx response, received 500').waitFor();
    await page.goBack();

    receiver.response.status = 204;
    await row.getByRole('button', { name: /^Replay event \d+$/ }).click();
    await row.getByText('204 Delivered').waitFor();
    // The test event still waits for its next attempt.
    await page.getByText(/^Failing since /).waitFor();
    const ids = receiver.requests
      .filter(({ body }) => body.includes('vendor.create'))
      .map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('replays the events since a time, also those from before the endpoint', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    await company.vendor.create({ name: 'Cloud Ltd' });
    const receiver = await startReceiver();
    const { uniqueId } = await ann.caller.webhook.create({ url: receiver.url, events: ['vendor.create'] });
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    await page.getByText('Send a test event to see').waitFor();
    await page.getByRole('button', { name: 'Replay since' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByLabel('Since').fill('2020-01-31T08:00');
    await expectGoodViews(page);
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await logRow(page, 'vendor.create').getByText('204 Delivered').waitFor();
    expect(receiver.requests[0]?.body).toContain('Cloud Ltd');
  });

  test('rotates the secret: both sign during the overlap', async () => {
    const { company, ann, receiver, uniqueId, secret } = await adminWithEndpoint();
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate the secret?' });
    await dialog.getByLabel('Overlap').selectOption('1 hour');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const rotated = await readSecret(page, 'Secret rotated');
    expect(rotated).not.toBe(secret);
    await company.vendor.create({ name: 'Cloud Ltd' });
    await logRow(page, 'vendor.create').getByText('204 Delivered').waitFor();
    const [request] = receiver.requests;
    for (const valid of [secret, rotated])
      expect(await verifyWebhook(request?.body ?? '', request?.headers ?? {}, valid)).toMatchObject({
        type: 'vendor.create',
      });
  });

  test('edits, disables, enables and deletes an endpoint', async () => {
    const { ann, receiver, uniqueId } = await adminWithEndpoint();
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('Data warehouse');
    expect(await dialog.getByLabel('vendor.*').isChecked()).toBe(true);
    await dialog.getByLabel('All events').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Data warehouse' }).waitFor();
    expect(await ann.caller.webhook.get({ webhook: uniqueId })).toMatchObject({
      url: receiver.url,
      description: 'Data warehouse',
      events: null,
    });

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('receives nothing until you enable it again').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Send test event' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('receives new events from now on').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Send test event' }).waitFor();
    expect(await ann.caller.webhook.get({ webhook: uniqueId })).toMatchObject({ enabled: true });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A webhook sends every change').waitFor();
    expect(await ann.caller.webhook.list()).toMatchObject({ items: [] });
  });

  test('works with the keyboard alone', async () => {
    const receiver = await startReceiver();
    const { page } = await openAsMember('/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('webh');
    await page.getByRole('option', { name: 'Webhooks' }).waitFor();
    await expect.poll(() => page.getByRole('option').count(), WAIT).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByText('A webhook sends every change').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('dialog').locator('input[name="url"]:focus').waitFor();
    await page.keyboard.type(receiver.url);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await readSecret(page, 'Endpoint created');
    await page.getByRole('link', { name: receiver.url }).waitFor();
    // The focus returns from the dialog before the next key is pressed.
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
    await page.getByText('task.*').waitFor();
  });

  test('finds the endpoints accessible in every view', async () => {
    const { company, ann, uniqueId } = await adminWithEndpoint();
    const failing = await startReceiver(500);
    await ann.caller.webhook.create({ url: failing.url, description: 'Data warehouse' });
    const paused = await ann.caller.webhook.create({
      url: `https://example.com/hooks/${'a-long-path/'.repeat(9)}`,
      description: 'Ticket sync of the security team, until the end of the migration',
      events: ['task.*', 'vendor.*', 'api_key.rotate', 'api_key.revoke'],
    });
    await ann.caller.webhook.update({ webhook: paused.uniqueId, enabled: false });
    for (const name of ['Cloud Ltd', 'Mail Inc', 'Payroll AG']) await company.vendor.create({ name });
    const page = await openAs(ann, '/webhooks');
    await page.getByRole('link', { name: failing.url }).waitFor();
    await expectGoodViews(page);
    await page.goto(`${applicationOrigin()}/webhooks/${uniqueId}`);
    await expect.poll(() => page.getByText('204 Delivered').count(), WAIT).toBe(3);
    await expectGoodViews(page);
    await page.goto(`${applicationOrigin()}/webhooks/${paused.uniqueId}`);
    await page.getByText('Nothing was sent').waitFor();
    await expectGoodViews(page);
  });

  test('scrolls through a log of several pages, also after a page was lost with all its repetitions', async () => {
    const { company, ann, uniqueId } = await adminWithEndpoint();
    await Promise.all(Array.from({ length: 55 }, (_, index) => company.vendor.create({ name: `Vendor ${index}` })));
    const countDeliveries = async () => {
      const { items } = await ann.caller.webhook.deliveries({ webhook: uniqueId, limit: 100 });
      return items.length;
    };
    await expect.poll(countDeliveries, { timeout: 180_000 }).toBe(55);
    const page = await openAs(ann, '/webhooks');
    expectConsole(/ERR_FAILED/);
    const nextPages: string[] = [];
    await page.route(
      (url) => url.pathname.includes('webhook.deliveries') && url.search.includes('cursor'),
      (route) => (nextPages.push(route.request().url()) <= 3 ? route.abort() : route.continue()),
    );
    await page.goto(`${applicationOrigin()}/webhooks/${uniqueId}`);
    const log = page.getByRole('table', { name: 'Delivery log' });
    await expect
      .poll(async () => {
        // The wheel waits for frames, in which the page notices what comes into view. A script would not.
        await page.mouse.wheel(0, 2000);
        return log.getAttribute('aria-rowcount');
      }, WAIT)
      .toBe('56');
    expect(nextPages.length).toBeGreaterThan(3);
  });

  test('reads that an endpoint does not exist', async () => {
    const page = await openAs(
      await createMember(await createCompany()),
      '/webhooks/01990000-0000-7000-8000-000000000000',
    );
    expectConsole(/404/);
    await page.getByRole('alert').getByText('The webhook could not be loaded').waitFor();
  });
});

describeInBrowser('somebody who is not an admin', () => {
  useWebhookJobs();

  test('sees the endpoints and the log without buttons as an auditor', async () => {
    const { company, receiver } = await adminWithEndpoint();
    await company.vendor.create({ name: 'Cloud Ltd' });
    const page = await openAs(await createMember(company, { role: 'auditor' }), '/webhooks');
    await page.getByRole('link', { name: receiver.url }).waitFor();
    expect(await page.getByRole('button', { name: 'New endpoint' }).count()).toBe(0);
    await page.getByRole('link', { name: receiver.url }).click();
    await logRow(page, 'vendor.create').getByText('204 Delivered').waitFor();
    for (const name of ['Send test event', 'Edit', 'Rotate', 'Disable', 'Delete', 'Replay'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('has no link to the webhooks as an editor, and reads who gives the permission', async () => {
    const { page } = await openAsMember('/webhooks', { role: 'editor' });
    expectConsole(/403/);
    const message = page.getByRole('alert');
    await message.getByText('The webhooks could not be loaded').waitFor();
    await message.getByText('Ask an admin of your company for permission.').waitFor();
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name: 'Audit log' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New endpoint' }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Audit log' }).waitFor();
    expect(await page.getByRole('option', { name: 'Webhooks' }).count()).toBe(0);
  });
});
