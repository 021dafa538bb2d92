import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../support/app/accessibility.ts';
import {
  applicationOrigin,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
  openWindow,
} from '../support/app/application.ts';
import { sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const PAGES = [
  'Overview',
  'Inbox',
  'Tasks',
  'Vendors',
  'Frameworks',
  'Questions',
  'API keys',
  'Audit log',
  'Members',
  'Webhooks',
  'Imports',
  'Settings',
  'Account',
];

const pathOf = (name: string): string => (name === 'Overview' ? '/' : `/${name.toLowerCase().replaceAll(' ', '-')}`);

/** A batch of 100 vendors; the last of three has 50. */
const vendorsOf = (part: number) => ({
  items: Array.from({ length: part === 2 ? 50 : 100 }, (_, index) => ({
    op: 'create' as const,
    body: { name: `Vendor ${part * 100 + index}` },
  })),
});

/** Maximum bytes of the responses of a page that a browser opens for the first time, and of the form of sign-in. */
const MAX_FIRST_LOAD = 350_000;
const MAX_SIGN_IN_LOAD = 300_000;

/** Bytes of all responses since the page was opened. */
const loadedBytes = (page: Page): Promise<unknown> =>
  page.evaluate(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );

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
    await expectGoodViews(page);
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
      const [task, vendor, requirement, webhook] = await Promise.all([
        ann.caller.task.create({ framework: company.framework, title: 'Review access rights' }),
        ann.caller.vendor.create({ name: 'Cloud Ltd' }),
        ann.caller.requirement.create({ framework: company.framework, ref: 'A.5.1', title: 'Policies' }),
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
        '/inbox',
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
        `/frameworks/${company.framework}`,
        `/frameworks/${company.framework}?tab=gaps`,
        `/frameworks/${company.framework}?tab=report`,
        `/frameworks/${company.framework}?tab=applicability`,
        `/requirements/${requirement.uniqueId}`,
        `/requirements/${requirement.uniqueId}${asOf}`,
        '/api-keys',
        `/api-keys?key=${company.apiKey.uniqueId}`,
        '/audit-log',
        '/audit-log/proofs',
        '/proof/check',
        '/members',
        '/members?tab=single-sign-on',
        `/members/${ann.user.uniqueId}`,
        '/members/sign-ins',
        '/webhooks',
        `/webhooks/${webhook.uniqueId}`,
        '/imports',
        '/questions',
        '/settings',
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

  test('shows the form of the link /reset without a session', async () => {
    const page = await openWindow(`/reset/${'a'.repeat(43)}`);
    await page.getByLabel('Password').waitFor();
    await expectGoodViews(page);
  });

  test('needs less than 300 kB until the sign-in form works', async () => {
    const page = await openWindow('/sign-in', { isAlone: true });
    await page.getByLabel('Password').waitFor();
    const bytes = await loadedBytes(page);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_SIGN_IN_LOAD);
  });

  test('needs less than 350 kB for the first load of each page', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    const task = await acme.newTask({ description: '<h2>Steps</h2><p>First the suppliers.</p>' });
    const vendor = await acme.vendor.create({ name: 'Cloud Ltd', description: '<p>Hosting</p>' });
    await sql(
      `insert into task_status_day (company_id, framework_id, day, todo)
       select $1, $2, (now() at time zone 'utc')::date - age, age from generate_series(1, 30) age`,
      acme.id,
      acme.framework,
    );
    const member = `/members/${ann.user.uniqueId}`;
    const { uniqueId: requirement } = await ann.caller.requirement.create({
      framework: acme.framework,
      ref: 'A.5.1',
      title: 'Policies',
    });
    const details = [
      `/frameworks/${acme.framework}`,
      `/frameworks/${acme.framework}?tab=report`,
      `/requirements/${requirement}`,
      `/tasks/${task.uniqueId}`,
      `/vendors/${vendor.uniqueId}`,
      member,
      '/members/sign-ins',
      '/audit-log/proofs',
      '/proof/check',
      '/unsubscribe/token',
      '/email/token',
      '/delete-account',
      '/forgot',
    ];
    const context = (await openAs(ann, '/account', { isAlone: true })).context();
    const measure = async (path: string) => {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      await page.goto(applicationOrigin() + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const bytes = await loadedBytes(page);
      await page.close();
      return { path, bytes };
    };
    const paths = [...PAGES.map(pathOf), ...details];
    const sizes = [];
    // Some at a time, because each waits for half a second without a request.
    for (let index = 0; index < paths.length; index += 5)
      sizes.push(...(await Promise.all(paths.slice(index, index + 5).map(measure))));
    for (const { path, bytes } of sizes) {
      expect({ path, bytes }).toEqual({
        path,
        bytes: expect.toSatisfy((size) => size > 10_000 && size < MAX_FIRST_LOAD),
      });
    }
  });

  test('requests the session and the code of a page beside the application, with a frame before it', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    const context = (await openAs(ann, '/account', { isAlone: true })).context();
    const page = await context.newPage();
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/index-.*\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const requested = (path: RegExp) => page.waitForRequest((request) => path.test(new URL(request.url()).pathname));
    const session = requested(/^\/session$/);
    const code = requested(/^\/assets\/page-.*\.js$/);
    await page.goto(`${applicationOrigin()}/tasks`, { waitUntil: 'commit' });
    await Promise.all([session, code, page.locator('.shell > .sidebar').waitFor()]);
    const again: string[] = [];
    page.on('request', (request) => again.push(new URL(request.url()).pathname));
    held.resolve();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(again).not.toContain('/session');
  });

  test('says on an empty page what the page is for, and offers the first action once', async () => {
    const company = await createCompany();
    const page = await openAs(await createMember(company), '/vendors');
    const empty = [
      ['/vendors', 'Vendors are the companies and services', 'New vendor'],
      ['/tasks', 'Tasks are the work that a framework requires.', 'New task'],
      ['/webhooks', 'A webhook sends every change', 'New endpoint'],
    ] as const;
    for (const [path, text, action] of empty) {
      await page.goto(applicationOrigin() + path);
      await page.getByText(text).waitFor();
      expect(await page.locator('main').getByRole('button', { name: action }).count()).toBe(1);
    }
  });

  test('writes errors as sentences that say what to do', async () => {
    const { page } = await openAsMember('/vendors');
    expectConsole(/400/);
    await page.getByRole('button', { name: 'New vendor' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const error = page.getByRole('dialog').getByText(/^Expected text of 1 to/);
    expect(await error.innerText()).toMatch(/\.$/);
    await page.goto(`${applicationOrigin()}/audit-log?actor=nobody`);
    const alert = page.getByRole('alert');
    await alert.getByText('Correct it, then try again.').waitFor();
    expect(await alert.innerText()).toContain('Actor: expected the uniqueId of a user.');
  });

  test('says that shortcuts exist, and lists them at a click and at "?"', async () => {
    const { page } = await openAsMember('/');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Print the whole page').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    expect(await dialog.getByRole('row').count()).toBeGreaterThan(5);
  });

  test('has text in every heading of a column, menus within a landmark, and visible segments in forced colours', async () => {
    const company = await createCompany();
    await company.newTask();
    const ann = await createMember(company);
    const page = await openAs(ann, '/members');
    await page.getByRole('button', { name: /^Actions for/ }).click();
    const menu = page.locator('main').getByRole('menu');
    await menu.getByRole('menuitem', { name: 'Edit' }).waitFor();
    await expectAccessible(page);
    for (const path of ['/members', '/account', '/inbox', '/audit-log/proofs', '/tasks']) {
      await page.goto(applicationOrigin() + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const headings = await page.locator('th:not(.selection)').allTextContents();
      expect({ path, headings }).toEqual({ path, headings: headings.filter((text) => text.trim() !== '') });
    }
    await page.emulateMedia({ forcedColors: 'active' });
    const outlineOf = (label: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${label}')).outlineStyle`);
    expect(await outlineOf('.mantine-SegmentedControl-label[data-active]')).toBe('solid');
    expect(await outlineOf('.mantine-SegmentedControl-label:not([data-active])')).toBe('none');
  });

  test('prints a list as a document: every row, without navigation and inputs', async () => {
    const company = await createCompany();
    await Promise.all(Array.from({ length: 3 }, (_, part) => company.vendor.batch(vendorsOf(part))));
    const page = await openAs(await createMember(company), '/vendors', { colorScheme: 'dark' });
    await page.getByText('250 vendors').waitFor();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator('tbody tr:visible').count(), { timeout: 20_000 }).toBe(250);
    expect(await page.locator('nav:visible, input:visible, select:visible').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New vendor' }).isVisible()).toBe(false);
    const style = await page.evaluate(
      `[getComputedStyle(document.documentElement).getPropertyValue('--paper-foot'), document.documentElement.dataset.mantineColorScheme]`,
    );
    expect(style).toEqual([expect.stringMatching(/^"Acme, .*20\d\d/), 'light']);
    expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(10_000);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'New vendor' }).waitFor();
  });
});
