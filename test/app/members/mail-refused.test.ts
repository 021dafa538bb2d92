import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

describeInBrowser('an admin', () => {
  test('sees whose mailbox rejected mails, and lets mails be sent again', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'editor' });
    await sql('update person set mail_refused_at = now() where unique_id = $1', bo.person);
    const auditor = await createMember(company, { role: 'auditor' });
    const reader = await openAs(auditor, '/members');
    await reader.getByRole('row', { name: 'Bo Berg' }).getByText('Email rejected').waitFor();
    expect(await reader.getByRole('button', { name: 'Send emails again to Bo Berg' }).count()).toBe(0);
    const page = await openAs(ann, '/members');
    const again = page.getByRole('button', { name: 'Send emails again to Bo Berg' });
    await again.waitFor();
    await expectGoodViews(page);
    await page.getByRole('link', { name: 'Bo Berg' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bo Berg' }).waitFor();
    await page.getByText('Email rejected').waitFor();
    await expectGoodViews(page);
    await again.click();
    await page.getByText(`Emails to ${bo.email} will be sent again.`).waitFor();
    await page.getByText('Email rejected').waitFor({ state: 'detached' });
    expect(await ann.caller.management.member.list()).toContainEqual(
      expect.objectContaining({ uniqueId: bo.uniqueId, mailRefusedAt: null }),
    );
  });
});
