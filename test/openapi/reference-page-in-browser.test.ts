import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { testInChromium } from '../support/app/shared-chromium.ts';
import { url } from '../support/http/server.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { createCompany } from '../support/tenants/company.ts';

const summaryOf = (operationId: string) =>
  String(
    Object.values(openApi.paths)
      .flatMap((verbs) => Object.values(verbs))
      .find((operation) => operation.operationId === operationId)?.summary,
  );

// CI has Chromium and must run these tests. Machines without Chromium skip them.
describe.skipIf(isWithoutChromium)('in a browser', () => {
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
    await page.addInitScript({
      content: `globalThis.violations = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
          violations.push(effectiveDirective + ' ' + blockedURI));`,
    });
    await page.goto(`${url}/docs/reference`);
  });
  afterAll(() => browser.close());

  test('the page shows the introduction, every operation and every webhook', async () => {
    await page.getByRole('heading', { name: 'Your first request' }).waitFor();
    expect(await page.title()).toBe('Compliance Task and Vendor Inventory API');
    for (const { summary } of Object.values({ ...openApi.paths, ...openApi.webhooks }).flatMap((verbs) =>
      Object.values(verbs),
    )) {
      await page.getByText(summary, { exact: true }).first().waitFor();
    }
  });

  test('the page lists the vendors with an entered API key', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: 'Cloud Ltd of the browser' });
    await page.locator('input.scalar-password-input').first().fill(acme.key);
    await page.getByText(summaryOf('listVendors'), { exact: true }).first().click();
    await page.getByRole('button', { name: 'Test Request' }).filter({ hasText: '/vendor/list' }).click();
    await page.getByRole('button', { name: 'Send get request' }).click();
    const client = page.getByRole('dialog');
    await client.getByText('200 OK').waitFor();
    await client.getByText('Cloud Ltd of the browser').waitFor();
    const { uniqueId } = (await acme.vendor.list())[0] ?? {};
    expect(await client.textContent()).toContain(uniqueId);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(acme.key);
  });

  test('a code sample omits optional parameters', async () => {
    await page.goto(`${url}/docs/reference`);
    await page.getByText(summaryOf('listAuditEvents'), { exact: true }).first().click();
    const sample = page.locator('code', { hasText: `${url}/external/audit/list` }).first();
    expect(await sample.textContent()).toBe(
      `curl ${url}/external/audit/list \\\n  --header 'X-API-Key: svc_sk_live_YOUR_KEY'\n`,
    );
  });

  test('the page contacts only this server, violates no policy, and logs no error', async () => {
    const otherHosts = requestedUrls.filter((target) => !target.startsWith(`${url}/`) && !/^(data|blob):/.test(target));
    expect(otherHosts).toEqual([]);
    expect(requestedUrls).toContain(`${url}/external/smart-inventory/vendor/list`);
    expect(errors).toEqual([]);
    // Zod, in the bundle, tests if it may use `eval`, and works without it.
    const violations = await page.evaluate('violations');
    expect(violations).toEqual(['script-src eval']);
  });
});
