import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
  openWindow,
} from '../../support/app/application.ts';
import { Session } from '../../../database/session.ts';
import { unsubscribeToken } from '../../../procedures/mail/unsubscribe.ts';
import { database, sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const DEFAULTS = { assigned: true, mentioned: true, commented: false, summary: true, refusedAt: null };

/** Path of the page that turns off the mails about assignments and mentions of a person. */
const pathFor = async (person: string) => {
  const secret = await new Session(database, null, 'test').installation.unsubscribeSecret();
  return `/unsubscribe/${unsubscribeToken(secret, person, ['assigned', 'mentioned'])}`;
};

const reject = (person: string) =>
  sql(`update person set mail_refused_at = '2026-11-20T09:30:00Z' where unique_id = $1`, person);

describeInBrowser('notifications', () => {
  test('have a switch for each kind of mail, which is saved at once', async () => {
    const { ann, page } = await openAsMember('/account');
    const section = page.getByRole('region', { name: 'Notifications' });
    const state = async () =>
      Promise.all(
        ['Assigned to me', 'Mentions', 'Comments on what I watch', 'Daily summary'].map((name) =>
          section.getByRole('switch', { name }).isChecked(),
        ),
      );
    await section.getByRole('switch', { name: 'Mentions' }).waitFor();
    expect(await state()).toEqual([true, true, false, true]);
    await section.getByRole('switch', { name: 'Comments on what I watch' }).check();
    await section.getByRole('switch', { name: 'Daily summary' }).uncheck();
    await section.getByText('Saved').waitFor();
    await expect
      .poll(() => ann.caller.account.notifications.get())
      .toEqual({ ...DEFAULTS, commented: true, summary: false });
    await page.reload();
    await section.getByRole('switch', { name: 'Mentions' }).waitFor();
    expect(await state()).toEqual([true, true, true, false]);
  });

  test('keep what was chosen while an earlier choice is still being saved', async () => {
    const { ann, page } = await openAsMember('/account');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const saved: string[] = [];
    await page.route('**/trpc/account.notifications.update*', async (route) => {
      if (saved.length === 0) await released;
      saved.push(route.request().postData() ?? '');
      await route.continue();
    });
    const comments = page.getByRole('switch', { name: 'Comments on what I watch' });
    const summary = page.getByRole('switch', { name: 'Daily summary' });
    await comments.check();
    await summary.uncheck();
    await page.evaluate(`
      flips = 0;
      new MutationObserver(() => (flips += 1)).observe(document.querySelector('input[role="switch"][aria-describedby]'), {
        attributes: true,
        attributeFilter: ['data-checked'],
      });
    `);
    release();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Saved').waitFor();
    expect(saved).toHaveLength(2);
    expect(await page.evaluate('flips')).toBe(0);
    expect([await comments.isChecked(), await summary.isChecked()]).toEqual([true, false]);
    expect(await ann.caller.account.notifications.get()).toEqual({ ...DEFAULTS, commented: true, summary: false });
  });

  test('say that the mail server rejected the address, and "Try again" lifts that', async () => {
    const { ann, page } = await openAsMember('/account');
    await reject(ann.person);
    await page.reload();
    await page.getByText('Your mailbox does not exist').waitFor();
    await expectGoodViews(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Your mailbox does not exist').waitFor({ state: 'detached' });
    expect(await ann.caller.account.notifications.get()).toEqual(DEFAULTS);
  });

  test('that a mailbox rejected are shown to an admin under Members', async () => {
    const company = await createCompany();
    const ben = await createMember(company, { name: 'Ben', role: 'editor' });
    await reject(ben.person);
    const page = await openAs(await createMember(company), '/members');
    const row = page.getByRole('row').filter({ hasText: 'Ben' });
    await row.getByText('Email rejected').waitFor();
    expect(await row.innerText()).toMatch(/Nov 20, 2026|20 Nov 2026/);
    await expectGoodViews(page);
  });
});

describeInBrowser('the page /unsubscribe', () => {
  test('turns off the mails of its link at a click, without a session', async () => {
    const ann = await createMember(await createCompany());
    const page = await openWindow(await pathFor(ann.person));
    const button = page.getByRole('button', { name: 'Unsubscribe' });
    await button.waitFor();
    await expectGoodViews(page);
    expect(await ann.caller.account.notifications.get()).toEqual(DEFAULTS);
    await button.click();
    await page.getByText('You will not get these emails any more.').waitFor();
    expect(await ann.caller.account.notifications.get()).toEqual({ ...DEFAULTS, assigned: false, mentioned: false });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    expect(page.url()).toBe(`${applicationOrigin()}/sign-in?to=%2Faccount`);
  });

  test('works for a person who is signed in, and then leads to the settings', async () => {
    const ann = await createMember(await createCompany());
    const page = await openAs(ann, await pathFor(ann.person));
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('You will not get these emails any more.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('switch', { name: 'Mentions' }).waitFor();
    expect(await page.getByRole('switch', { name: 'Mentions' }).isChecked()).toBe(false);
  });

  test('says that a link is not valid', async () => {
    const page = await openWindow('/unsubscribe/unknown');
    expectConsole(/404/);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('This link is not valid.').waitFor();
    await expectGoodViews(page);
  });
});
