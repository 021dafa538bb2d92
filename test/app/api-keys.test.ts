import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
} from '../support/app/application.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const request = (key: string, path: string) =>
  fetch(`${applicationOrigin().replace('localhost', '127.0.0.1')}${path}`, { headers: { 'X-API-Key': key } });
const whoami = (key: string) => request(key, '/external/api-key/whoami');

/** An admin with a key that was used on two days. */
async function adminWithKey() {
  const company = await createCompany();
  const ann = await createMember(company);
  const { key, uniqueId } = await ann.caller.management.apiKey.create({ name: 'Ticket sync' });
  for (const [day, requests, errors, rateLimited] of [
    [0, 120, 6, 2],
    [3, 80, 0, 0],
  ])
    await sql(
      `insert into api_key_usage (company_id, api_key_id, day, requests, errors, rate_limited)
       select company_id, unique_id, (now() at time zone 'utc')::date - $2::int, $3::int, $4::int, $5::int from api_key where unique_id = $1`,
      uniqueId,
      day,
      requests,
      errors,
      rateLimited,
    );
  return { company, ann, key, uniqueId };
}

describeInBrowser('an admin', () => {
  test('creates an API key, which is shown once and works', async () => {
    const ann = await createMember(await createCompany());
    const soc2 = await ann.caller.management.framework.create({ name: 'SOC 2' });
    const page = await openAs(ann, '/api-keys');
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('Ticket sync');
    expect(await dialog.getByLabel('webhook:manage').isChecked()).toBe(false);
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(3);
    await dialog.getByLabel('Create and change tasks').check();
    const inOneYear = new Date();
    inOneYear.setFullYear(inOneYear.getFullYear() + 1);
    expect(await dialog.getByLabel('Expiry').inputValue()).toBe(inOneYear.toLocaleDateString('sv-SE'));
    await dialog.getByLabel('Frameworks').click();
    await page.getByRole('option', { name: 'SOC 2' }).click();
    await dialog.getByLabel('Address ranges').fill('127.0.0.0/8, ::1/128');
    await dialog.getByLabel('Expiry').fill('2099-12-31');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();

    const created = page.getByRole('dialog', { name: 'API key created' });
    await created.waitFor();
    const [key = '', command = ''] = await created.locator('code').allTextContents();
    expect(command).toBe(`curl -H 'X-API-Key: ${key}' ${applicationOrigin()}/external/api-key/whoami`);
    await expectAccessible(page);
    const response = await whoami(key);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ name: 'Ticket sync' });
    await page.keyboard.press('Escape');
    await created.getByRole('button', { name: 'Done' }).click();
    await created.waitFor({ state: 'detached' });
    await page.getByRole('table').getByRole('link', { name: 'Ticket sync' }).waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    const stored = (await ann.caller.management.apiKey.list()).find(({ name }) => name === 'Ticket sync');
    expect(stored).toMatchObject({
      scopes: ['task:read', 'task:write', 'vendor:read', 'audit:read'],
      frameworks: [soc2.id],
      cidrs: ['127.0.0.0/8', '::1/128'],
      expiresAt: expect.stringMatching(/^(?:2099-12-31|2100-01-01)T/),
    });
  });

  test('keeps what was typed if a key is rejected, and reads why', async () => {
    const { page } = await openAsMember('/api-keys');
    expectConsole(/400/);
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ticket sync');
    await dialog.getByLabel('Address ranges').fill('everywhere');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('expected an address range').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Ticket sync');
  });

  test('rotates a key with overlap, disables, enables and revokes it', async () => {
    const { ann, key, uniqueId } = await adminWithKey();
    const page = await openAs(ann, '/api-keys');
    await page.getByRole('link', { name: 'Ticket sync' }).click();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByLabel('Overlap').selectOption('1 hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const secret = page.getByRole('dialog', { name: 'API key rotated' });
    await secret.waitFor();
    const [rotated = ''] = await secret.locator('code').allTextContents();
    await secret.getByRole('button', { name: 'Done' }).click();
    expect([(await whoami(key)).status, (await whoami(rotated)).status]).toEqual([200, 200]);

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    expect((await whoami(rotated)).status).toBe(200);

    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Rotate' }).waitFor({ state: 'detached' });
    await page.getByText('Revoked').first().waitFor();
    expect((await whoami(rotated)).status).toBe(401);
    expect(await ann.caller.management.apiKey.get({ uniqueId })).toMatchObject({ revokedAt: expect.any(String) });
  });

  test('gives a key webhook:manage on request, and reads in the list which scopes keys have', async () => {
    const { ann } = await adminWithKey();
    const page = await openAs(ann, '/api-keys');
    await page.getByRole('row', { name: 'Ticket sync' }).getByText('All except webhook:manage, member:read').waitFor();
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('Webhooks');
    await dialog.getByLabel('webhook:manage').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'API key created' }).getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: 'Webhooks' })
      .getByTitle(/webhook:manage/)
      .waitFor();
    const stored = (await ann.caller.management.apiKey.list()).find(({ name }) => name === 'Webhooks');
    expect(stored?.scopes).toContain('webhook:manage');
  });

  test('narrows a key that exists', async () => {
    const { ann, uniqueId } = await adminWithKey();
    const page = await openAs(ann, `/api-keys?key=${uniqueId}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ticket reader');
    await dialog.getByLabel('task:write').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Ticket reader' }).waitFor();
    const { scopes, expiresAt } = await ann.caller.management.apiKey.get({ uniqueId });
    expect(scopes).not.toContain('task:write');
    expect(expiresAt).toBe(null);
  });

  test('reads the requests, errors and 429s of a key as a chart and as a table', async () => {
    const { ann, uniqueId } = await adminWithKey();
    const page = await openAs(ann, `/api-keys?key=${uniqueId}`);
    await page.getByRole('img', { name: '200 requests, 6 errors and 2 rate-limited (429) in 30 days.' }).waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('table', { name: 'Usage by day' }).waitFor();
    expect(await page.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      new Date().toISOString().slice(0, 10),
      '120',
      '6',
      '2',
    ]);
  });

  test('reads the last requests of a key, also a refused one, with its request id', async () => {
    const { ann, key, uniqueId } = await adminWithKey();
    const page = await openAs(ann, `/api-keys?key=${uniqueId}`);
    await page.getByText('There were no requests with this key in the last day.').waitFor();
    const missing = await request(key, '/external/task/missing/item');
    expect([missing.status, (await whoami(key)).status]).toEqual([404, 200]);
    const table = page.getByRole('table', { name: 'Requests' });
    await expect
      .poll(
        async () => {
          await database.apiKeyRequests.flush();
          return table.getByRole('row').allTextContents();
        },
        { timeout: 30_000 },
      )
      .toEqual([
        'RequestStatusError codeDurationTime',
        expect.stringMatching(/^GET \/external\/api-key\/whoami200None\d+ ms/),
        expect.stringMatching(/^GET \/external\/task\/missing\/item404not_found\d+ ms/),
      ]);
    await table.getByRole('button', { name: 'GET /external/task/missing/item' }).click();
    await table.getByText(missing.headers.get('X-Request-Id') ?? 'an id').waitFor();
    await expectGoodViews(page);
  });

  test('sees that a key was found in public, and what to do', async () => {
    const { company, ann, uniqueId } = await adminWithKey();
    await asOwner(
      (run) =>
        run(
          `update api_key set enabled = false, leaked_at = now(), leaked_url = 'https://github.com/example/repo/blob/main/.env'
           where unique_id = $1`,
          uniqueId,
        ),
      { company: company.id, user: OPERATOR.uniqueId },
    );
    const page = await openAs(ann, '/api-keys');
    await page.getByRole('cell', { name: 'Leaked' }).waitFor();
    await page.getByRole('link', { name: 'Ticket sync' }).click();
    await page.getByText('https://github.com/example/repo').waitFor();
    await page.getByText('The key is disabled. Rotate the key').waitFor();
    await expectAccessible(page);
  });

  test('finds the keys accessible in every view', async () => {
    const { ann, uniqueId } = await adminWithKey();
    const old = await ann.caller.management.apiKey.create({
      name: 'Old export of the audit log for the data warehouse',
      scopes: ['audit:read'],
    });
    await ann.caller.management.apiKey.revoke({ uniqueId: old.uniqueId });
    await ann.caller.management.apiKey.create({
      name: 'Vendors',
      scopes: ['vendor:read', 'vendor:write'],
      expiresAt: '2099-01-01T00:00:00Z',
    });
    const page = await openAs(ann, '/api-keys');
    await page.getByRole('link', { name: 'Ticket sync' }).waitFor();
    await expectGoodViews(page);
    await page.goto(`${applicationOrigin()}/api-keys?key=${uniqueId}`);
    await page.getByRole('img', { name: 'requests' }).locator('path').first().waitFor();
    await expectGoodViews(page);
  });
});

describeInBrowser('somebody who is not an admin', () => {
  test('sees the keys without buttons as an auditor', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { uniqueId } = await ann.caller.management.apiKey.create({ name: 'Ticket sync' });
    const page = await openAs(await createMember(company, { role: 'auditor' }), '/api-keys');
    await page.getByRole('link', { name: 'Ticket sync' }).click();
    await page.getByText(uniqueId).waitFor();
    for (const name of ['New API key', 'Edit', 'Rotate', 'Disable', 'Revoke'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  test('has no link to the keys as an editor, and reads at their address who gives the permission', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { uniqueId, name } = await ann.caller.management.apiKey.create({ name: 'Ticket sync' });
    const editor = await createMember(company, { role: 'editor' });
    const page = await openAs(editor, '/api-keys');
    expectConsole(/403/);
    for (const path of ['/api-keys', `/api-keys?key=${uniqueId}`]) {
      await page.goto(applicationOrigin() + path);
      const message = page.getByRole('alert');
      await message.getByText('Your role, editor, cannot read the settings of the company.').waitFor();
      await message.getByText('Ask an admin of your company for permission.').waitFor();
      expect(await page.locator('main').getByRole('button').count()).toBe(0);
    }
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText(`created the API key ${name}`).waitFor();
    expect(await page.getByRole('link', { name: /API key|Ticket sync/ }).count()).toBe(0);
  });
});
