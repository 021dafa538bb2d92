import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, setUpMail } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { newEmail, passwordHash, readPerson } from '../../support/tenants/sign-in.ts';

/** The admin Ann and the editor Bo. */
async function createPair() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann Lee' });
  const bo = await createMember(company, { name: 'Bo Berg', role: 'editor', password: passwordHash });
  return { company, ann, bo };
}

/** Opens the members, and chooses from the menu of Bo. */
async function openMembers({ ann }: Awaited<ReturnType<typeof createPair>>) {
  const page = await openAs(ann, '/members');
  const dialog = page.getByRole('dialog');
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Bo Berg' }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  return { page, dialog, choose };
}

describeInBrowser('an admin with mail', () => {
  test('reads to whom a link went and until when it works, and sees no link', async () => {
    await setUpMail();
    const pair = await createPair();
    const { page, dialog, choose } = await openMembers(pair);
    const email = newEmail();
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page
      .getByText(new RegExp(`^An email with the link was sent to ${email}. The link works until .*20\\d\\d`))
      .waitFor();
    await page.getByRole('table', { name: 'Open invitations' }).getByText(email).waitFor();
    const [{ mailedAt } = { mailedAt: '' }] = await pair.ann.caller.management.invitation.list();
    await page.locator(`time[datetime="${mailedAt}"]`).first().waitFor();
    await page.getByText(/^Invitation links are sent by email./).waitFor();
    await expectGoodViews(page);
    await page.getByRole('button', { name: `Send again to ${email}` }).click();
    await page.getByText(new RegExp(`^An email with the link was sent to ${email}.`)).waitFor();
    await choose('Reset password');
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    await page.getByText(`An email with the link was sent to ${pair.bo.email}. The link works until `).waitFor();
    expect(await page.getByText(/http/).count()).toBe(0);
  });

  test('sends a link to the new email of a member, who keeps the present one until then', async () => {
    await setUpMail();
    const pair = await createPair();
    const { page, dialog, choose } = await openMembers(pair);
    const email = newEmail();
    await choose('Change email');
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Change email' }).click();
    await page.getByText(`A link was sent to ${email}. The email changes when Bo Berg opens it.`).waitFor();
    expect(await readPerson(pair.bo.person)).toMatchObject({ email: pair.bo.email });
  });
});

describeInBrowser('an admin without mail', () => {
  test('changes the email of a member at once, and reads at the field that another account has it', async () => {
    const pair = await createPair();
    const { page, dialog, choose } = await openMembers(pair);
    expectConsole(/409/);
    await choose('Change email');
    await dialog.getByLabel('Email').fill(pair.ann.email);
    await dialog.getByRole('button', { name: 'Change email' }).click();
    await dialog.getByText('Another account has this address.').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    const email = newEmail();
    await dialog.getByLabel('Email').fill(email.toUpperCase());
    await dialog.getByRole('button', { name: 'Change email' }).click();
    await page.getByText(`The email of Bo Berg is now ${email}.`).waitFor();
    await page.getByRole('row', { name: 'Bo Berg' }).getByText(email).waitFor();
    expect(await readPerson(pair.bo.person)).toMatchObject({ email });
  });

  test('gives a member who has ended another email, so that the address can be used again', async () => {
    const pair = await createPair();
    await pair.ann.caller.management.member.end({ uniqueId: pair.bo.uniqueId });
    const { page, dialog, choose } = await openMembers(pair);
    await choose('Change email');
    await dialog.getByText('The current email can then be used for another person.').waitFor();
    await dialog.getByLabel('Email').fill(newEmail());
    await dialog.getByRole('button', { name: 'Change email' }).click();
    await page.getByText('The email of Bo Berg is now').waitFor();
    expect(await pair.ann.caller.management.member.invite({ email: pair.bo.email, role: 'editor' })).toMatchObject({
      link: expect.any(String),
    });
  });
});
