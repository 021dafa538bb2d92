import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import { day } from '../../support/app/evidence.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { newEmail } from '../../support/tenants/sign-in.ts';

const dateText = (date: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

describeInBrowser('a guest', () => {
  test('is invited until a day, which the lists of members and invitations show and an admin changes', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann' });
    const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
    const email = newEmail();
    const page = await openAs(ann, '/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill(email);
    await dialog.getByLabel('Ends on').fill(day(-2));
    expectConsole(/422/);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.locator('[aria-invalid=true][type=date]').waitFor();
    await dialog.getByLabel('Ends on').fill(day(30));
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog', { name: 'Invitation created' }).getByRole('button', { name: 'Done' }).click();
    const invitations = page.getByRole('table', { name: 'Open invitations' });
    await invitations.getByText(`Access ends ${dateText(day(30))}`).waitFor();
    await invitations.getByRole('button', { name: `New link for ${email}` }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await ann.caller.management.invitation.list()).toMatchObject([{ email, endsAt: day(30) }]);

    const row = page.getByRole('table', { name: 'Members' }).getByRole('row').filter({ hasText: 'Cleo' });
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit Cleo' }).getByLabel('Ends on').fill(day(60));
    await page.getByRole('dialog', { name: 'Edit Cleo' }).getByRole('button', { name: 'Save' }).click();
    await row.getByText(`Access ends ${dateText(day(60))}`).waitFor();
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Cleo' }).click();
    await page
      .getByRole('complementary', { name: 'Properties' })
      .getByText(dateText(day(60)))
      .waitFor();
    await page.goBack();
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit Cleo' }).getByLabel('Ends on').fill('');
    await page.getByRole('dialog', { name: 'Edit Cleo' }).getByRole('button', { name: 'Save' }).click();
    await row.getByText('Access ends').waitFor({ state: 'detached' });
    expect(await ann.caller.management.member.list()).toContainEqual(
      expect.objectContaining({ uniqueId: cleo.user.uniqueId, endsAt: null }),
    );
  });
});
