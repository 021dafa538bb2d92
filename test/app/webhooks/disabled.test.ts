import { expect, test } from 'vitest';
import { SCOPES } from '../../../entities/api-key/scope.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { asOwner } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { createWebhookKey } from '../../support/tenants/webhooks.ts';

/** A company with an endpoint that is disabled, and an admin. */
async function companyWithDisabled(reason: 'manual' | 'gone' | 'failing' | 'key') {
  const company = await createCompany();
  const ann = await createMember(company);
  const owner = await createWebhookKey(company, { scopes: [...SCOPES] });
  const { uniqueId } = await owner.caller.webhook.create({ url: 'https://hooks.example.com/tickets' });
  if (reason === 'key') await company.manage.apiKey.revoke({ uniqueId: owner.apiKey.uniqueId });
  await asOwner(
    (run) =>
      run(
        'update webhook set enabled = false, skip_until_id = null, disabled_reason = $2 where unique_id = $1::uuid',
        uniqueId,
        reason,
      ),
    { company: company.id, user: OPERATOR.uniqueId },
  );
  return { company, ann, uniqueId };
}

describeInBrowser('the page of a disabled endpoint', () => {
  test.each([
    ['manual', 'Disabled manually', 'disabled manually', 'Enable the endpoint when its program is ready'],
    ['gone', 'Responded 410 Gone', 'no longer accepts events', 'Otherwise correct the URL or the program'],
    ['failing', '5 days without success', 'failed for 5 days', 'Read the errors in the delivery log'],
  ] as const)('says why and what to do: %s', async (reason, short, title, advice) => {
    const { ann } = await companyWithDisabled(reason);
    const page = await openAs(ann, '/webhooks');
    await page.getByRole('cell', { name: short, exact: true }).waitFor();
    await page.getByRole('link', { name: 'https://hooks.example.com/tickets' }).click();
    const notice = page.getByRole('note', { name: title });
    await notice.getByText(advice).waitFor();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await expectGoodViews(page);
    await notice.getByRole('link', { name: 'audit log' }).click();
    await page.getByRole('button', { name: 'disabled the webhook https://hooks.example.com/tickets' }).waitFor();
  });

  test('offers no button to enable one whose key was revoked, and advises to create another', async () => {
    const { company, ann, uniqueId } = await companyWithDisabled('key');
    const page = await openAs(ann, `/webhooks/${uniqueId}`);
    const notice = page.getByRole('note', { name: 'was revoked' });
    await notice.getByText('Create another endpoint with the same URL').waitFor();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    expect(await page.getByRole('button', { name: 'Enable' }).count()).toBe(0);
    await expectGoodViews(page);
    const auditor = await openAs(await createMember(company, { role: 'auditor' }), `/webhooks/${uniqueId}`);
    await auditor.getByText('An admin can help: create another endpoint').waitFor();
  });
});
