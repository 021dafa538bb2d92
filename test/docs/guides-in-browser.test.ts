import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectLandmarks } from '../support/app/accessibility.ts';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { testInChromium } from '../support/app/shared-chromium.ts';
import { url } from '../support/http/server.ts';

// CI has Chromium and must run these tests. Machines without Chromium skip them.
describe.skipIf(isWithoutChromium)('the guides in a browser', () => {
  let browser: BrowserContext;
  let page: Page;
  const errors: string[] = [];
  const requestedUrls: string[] = [];

  testInChromium.beforeAll(async ({ chromium }) => {
    browser = await chromium.newContext({ viewport: { width: 1400, height: 900 } });
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    browser.on('request', (request) => requestedUrls.push(request.url()));
    page.setDefaultTimeout(60_000);
  });
  afterAll(() => browser.close());

  test('the search is reached and used with the keyboard', async () => {
    await page.goto(`${url}/docs`);
    await page.keyboard.press('/');
    await page.keyboard.type('webhook secret');
    const results = page.locator('#docs-results');
    await results.getByRole('status').filter({ hasText: 'results' }).waitFor();
    expect(await results.getByRole('link').first().textContent()).toMatch(/secret/i);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const href = await results.getByRole('link').first().getAttribute('href');
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(href);
    await page.keyboard.press('Enter');
    await page.waitForURL(url + href);
    await page.keyboard.press('/');
    await page.keyboard.type('quixotic');
    await results.getByText('0 results').waitFor();
    await page.keyboard.press('Escape');
    expect(await results.isHidden()).toBe(true);
  });

  test('pages are accessible and as wide as the window, in light and dark, wide and narrow', async () => {
    for (const path of ['/docs', '/docs/contract', '/docs/webhooks', '/docs/application']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1400, 900, 375]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await page.goto(url + path);
          await expectAccessible(page, `${colorScheme}, ${width}`);
          expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
        }
      }
      await expectLandmarks(page);
    }
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  test('a button copies a block of code', async () => {
    await browser.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${url}/docs`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^API=.*\nKEY=svc_sk_live_…\n/);
  });

  test('a page is complete without scripts', async ({ onTestFinished }) => {
    const chromium = browser.browser();
    const plain = await chromium?.newContext({ javaScriptEnabled: false });
    onTestFinished(() => plain?.close());
    const withoutScripts = await plain?.newPage();
    await withoutScripts?.goto(`${url}/docs/webhooks`);
    expect(await withoutScripts?.getByRole('heading', { level: 1 }).textContent()).toBe('Webhooks');
    expect(await withoutScripts?.getByRole('searchbox').isHidden()).toBe(true);
    expect(await withoutScripts?.getByRole('link', { name: 'Errors', exact: true }).count()).toBeGreaterThan(0);
  });

  test('the pages contact only this server, and log no error', () => {
    expect(requestedUrls.filter((target) => !target.startsWith(`${url}/`) && !target.startsWith('data:'))).toEqual([]);
    expect(requestedUrls).toContain(`${url}/docs/search.json`);
    expect(errors).toEqual([]);
  });
});
