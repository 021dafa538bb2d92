import { expect, test } from 'vitest';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openAs, openAsMember, openWindow } from '../../support/app/application.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { PASSWORD, passwordHash } from '../../support/tenants/sign-in.ts';

describeInBrowser('the page "Sign-ins"', () => {
  test('shows an auditor who signed in, with which method and browser, and at which time', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee', password: passwordHash });
    const bo = await createMember(company, { name: 'Bo Berg', role: 'auditor' });
    const window = await openWindow('/sign-in');
    expectConsole(/401/);
    await window.getByLabel('Email').fill(ann.email);
    for (const password of ['a wrong password', PASSWORD]) {
      await window.getByLabel('Password').fill(password);
      await window.getByRole('button', { name: 'Sign in' }).click();
      if (password !== PASSWORD) await window.getByRole('alert').waitFor();
    }
    await window.getByRole('button', { name: 'Sign out' }).click();
    await window.getByRole('heading', { name: 'Sign in' }).waitFor();

    const page = await openAs(bo, '/members', { width: 1440 });
    await page.getByRole('link', { name: 'Sign-ins' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign-ins' }).waitFor();
    const rows = page.getByRole('table', { name: 'Sign-ins' }).getByRole('row').filter({ hasText: 'Ann Lee' });
    await expect.poll(() => rows.count()).toBe(4); // one by createMember
    const texts = await rows.allTextContents();
    expect(texts.map((text) => /Signed in|Failed|Signed out/.exec(text)?.[0])).toEqual([
      'Signed out',
      'Signed in',
      'Failed',
      'Signed in',
    ]);
    expect(texts[0]).toMatch(/Password.*Chrome on Linux.*20\d\d/);

    await page.getByRole('combobox', { name: 'Member' }).click();
    await page.getByRole('option', { name: 'Bo Berg' }).click();
    await expect.poll(() => page.getByRole('row', { name: 'Ann Lee' }).count()).toBe(0);
    expect(new URL(page.url()).search).toBe(`?member=${bo.uniqueId}`);
    await page.getByRole('row', { name: 'Bo Berg' }).getByRole('button', { name: 'Signed in' }).click();
    await page.getByRole('definition').filter({ hasText: bo.email }).waitFor();
    await page.getByRole('link', { name: 'Back to the members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  });

  test('is accessible in every view, and loads further pages', async () => {
    const company = await createCompany();
    const ann = await createMember(company, { name: 'Ann Lee' });
    const agents = [
      'Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Edg/140.0',
      'Macintosh; Intel Mac OS X) Safari/605',
      '',
    ];
    await sql(
      `insert into sign_in (company_id, member_id, email, event, method, address, user_agent, at)
       select $1::int, $2::uuid, $3, (array['signed_in', 'failed', 'signed_out', 'ended'])[1 + n % 4],
         (array['password', 'passkey', 'sso'])[1 + n % 3], (array['203.0.113.7', '2001:db8:1:2:3:4:5:6', null])[1 + n % 3],
         ($4::text[])[1 + n % 3], now() - n * interval '5 hours'
       from generate_series(1, 130) n`,
      company.id,
      ann.uniqueId,
      ann.email,
      agents,
    );
    const page = await openAs(ann, '/members/sign-ins');
    const table = page.getByRole('table', { name: 'Sign-ins' });
    await table.getByRole('row').nth(3).waitFor();
    await table.getByRole('button', { name: 'Session ended' }).first().click();
    await expectGoodViews(page);
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.body.scrollHeight)');
          return table.getAttribute('aria-rowcount');
        },
        { timeout: 60_000 },
      )
      .toBe('132');
  });

  test('shows an editor that an admin must give the permission', async () => {
    const { page } = await openAsMember('/members/sign-ins', { role: 'editor' });
    expectConsole(/403/);
    await page.getByRole('alert').getByText('Ask an admin of your company for permission.').waitFor();
  });
});
