import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { createTask, evidenceOf } from '../../support/app/evidence.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { createMember } from '../../support/tenants/member.ts';

const URL_OF_POLICY = 'https://wiki.example.com/access';

describeInBrowser('a check of evidence', () => {
  test('is made by an auditor, who accepts, rejects with a note and withdraws, and is shown to everybody', async () => {
    const { company, ann, taskUniqueId, path, stored } = await createTask();
    const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
    for (const name of ['Policy', 'Report']) await ann.caller.evidence.link({ taskUniqueId, url: URL_OF_POLICY, name });
    const page = await openAs(cleo, path);
    const item = (name: string) => evidenceOf(page).getByRole('listitem').filter({ hasText: name });
    await item('Policy').getByRole('button', { name: 'Accept Policy' }).click();
    await item('Policy').getByText('Accepted', { exact: true }).waitFor();
    await item('Policy')
      .getByText(/^by Cleo, /)
      .waitFor();
    await item('Report').getByRole('button', { name: 'Reject Report' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject “Report”' });
    await dialog.getByLabel('Note').fill('Not signed.');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await item('Report').getByText('Not signed.').waitFor();
    expect(await stored()).toMatchObject([
      { check: { result: 'accepted', note: '', by: { name: 'Cleo' } } },
      { check: { result: 'rejected', note: 'Not signed.' } },
    ]);
    // The checks of one minute are one line.
    await inOneMinute(company);
    await page.reload();
    await page.getByRole('button', { name: /checked 2 pieces of evidence/ }).click();
    await page.getByText(/rejected evidence/).waitFor();
    await expectGoodViews(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await item('Policy').getByRole('button', { name: 'Withdraw the check of Policy' }).click();
    await item('Policy').getByText('Accepted', { exact: true }).waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject([{ check: null }, {}]);
    expect(await evidenceOf(page).getByRole('button', { name: 'Delete' }).count()).toBe(0);

    const editor = await createMember(company, { role: 'editor' });
    const ofEditor = await openAs(editor, path);
    await evidenceOf(ofEditor).getByText('Rejected', { exact: true }).waitFor();
    expect(
      await evidenceOf(ofEditor)
        .getByRole('button', { name: /^(?:Accept|Reject|Withdraw)/ })
        .count(),
    ).toBe(0);
  });
});
