import { expect, test } from 'vitest';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  expectGoodViews,
  openAs,
  openAsMember,
  openWindow,
} from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const PAGES = [
  'Overview',
  'Tasks',
  'Vendors',
  'Frameworks',
  'API keys',
  'Audit log',
  'Members',
  'Webhooks',
  'Imports',
  'Account',
];

/** Bytes of responses until the sign-in form works. */
const MAX_FIRST_LOAD = 250_000;

describeInBrowser('the application', () => {
  test('has a link to each page, and each page has its title', async () => {
    const { page } = await openAsMember('/');
    for (const name of PAGES) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await expect.poll(() => page.title()).toBe(`${name} · Compliance`);
    }
  });

  test('opens the navigation of a narrow window with the button "Menu"', async () => {
    const page = await openAs(await createMember(await createCompany()), '/webhooks', { width: 375 });
    await expectGoodViews(page, 'webhooks');
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  });

  test.each(['auditor', 'editor'] as const)(
    'shows no field to an %s that is there but cannot be used',
    async (role) => {
      const company = await createCompany();
      const ann = await createMember(company);
      const url = 'https://example.com/hook';
      const [task, vendor, webhook] = await Promise.all([
        ann.caller.task.create({ framework: company.framework, title: 'Review access rights' }),
        ann.caller.vendor.create({ name: 'Cloud Ltd' }),
        ann.caller.webhook.create({ url }),
        ann.caller.management.sso.set({
          issuer: 'https://login.example.com',
          clientId: 'compliance',
          clientSecret: 'secret',
          domains: [`company-${company.id}.example`],
          required: false,
          role: 'auditor',
        }),
      ]);
      const asOf = `?asOf=${new Date().toISOString()}`;
      const paths = [
        '/',
        '/tasks',
        '/tasks?view=board',
        `/tasks/${task.uniqueId}`,
        `/tasks/${task.uniqueId}${asOf}`,
        '/vendors',
        `/vendors/${vendor.uniqueId}`,
        `/vendors/${vendor.uniqueId}${asOf}`,
        '/frameworks',
        '/frameworks?tab=gaps',
        '/frameworks?tab=departments',
        '/api-keys',
        `/api-keys?key=${company.apiKey.uniqueId}`,
        '/audit-log',
        '/members',
        '/members?tab=single-sign-on',
        '/members/sign-ins',
        '/webhooks',
        `/webhooks/${webhook.uniqueId}`,
        '/imports',
        '/account',
      ];
      const member = await createMember(company, { role });
      const page = await openAs(member, '/');
      expectConsole(/403/);
      for (const path of paths) {
        await page.goto(applicationOrigin() + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.locator('[aria-busy="true"], .mantine-Skeleton-root').count()).toBe(0);
        // A select has a button that is written as an input, which opens its list.
        const fields = page.locator(
          ':is(input, select, textarea):is([disabled], [readonly]):not([aria-haspopup=listbox])',
        );
        expect({ path, fields: await fields.count() }).toEqual({ path, fields: 0 });
        if (role === 'auditor' || /asOf/.test(path))
          expect(
            await page.getByRole('region', { name: 'Properties' }).locator('input, select, textarea').count(),
          ).toBe(0);
      }
    },
  );

  test.each(['invitation', 'reset'])('shows the form of the link /%s without a session', async (kind) => {
    const page = await openWindow(`/${kind}/${'a'.repeat(43)}`);
    await page.getByLabel('Password').waitFor();
    await expectGoodViews(page, kind);
  });

  test('needs less than 250 kB until the sign-in form works', async () => {
    const page = await openWindow('/sign-in');
    await page.getByLabel('Password').waitFor();
    const bytes: unknown = await page.evaluate(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD);
  });
});
