import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { openApi } from '../support/openapi/conformance.ts';
import { http, url } from '../support/http/server.ts';

describe('/docs', () => {
  test('is a page whose policy blocks other hosts', async () => {
    for (const path of ['/docs', '/docs/']) {
      const { status, headers } = await http('GET', path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        expect.stringMatching(/^style-src 'self' 'nonce-[\w+/]{22}=='$/),
        "style-src-attr 'unsafe-inline'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'none'",
      ]);
    }
  });

  test('has a new nonce for each response, and refers to no other host', async () => {
    const [first, second] = [await http('GET', '/docs'), await http('GET', '/docs')];
    const nonceOf = (text: string) => /csp-nonce" content="([^"]+)"/.exec(text)?.[1];
    expect(nonceOf(first.text)).not.toBe(nonceOf(second.text));
    expect(first.headers['content-security-policy']).toContain(`'nonce-${nonceOf(first.text)}'`);
    expect(first.text).not.toMatch(/https?:|src="\/\//);
  });

  test('has permanently cacheable files, in the encodings that the browser accepts', async () => {
    const { text } = await http('GET', '/docs');
    const paths = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => String(path));
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const plain = await fetchEncoded(path, 'identity');
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(plain.headers.get('vary')).toBe('Accept-Encoding');
      expect(plain.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(plain.headers.get('content-encoding')).toBe(null);
      const br = await fetchEncoded(path, 'gzip, deflate, br, zstd');
      expect(br.headers.get('content-encoding')).toBe('br');
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
      const gzip = await fetchEncoded(path, 'gzip');
      expect(gzip.headers.get('content-encoding')).toBe('gzip');
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(await http('HEAD', path)).toMatchObject({ status: 200, text: '' });
    }
  });

  test('is read-only, and serves no other files', async () => {
    expect(await http('POST', '/docs')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    for (const path of ['/docs/page.html', '/docs/..%2fopenapi.ts', '/docs/x.js', '/docsx']) {
      expect(await http('GET', path)).toMatchObject({ status: 404, headers: { 'x-error-code': 'not_found' } });
    }
  });

  /** Fetches a body without decompressing it. */
  async function fetchEncoded(path: string, encoding: string) {
    const { promise, resolve, reject } = Promise.withResolvers<{ headers: Headers; body: Buffer }>();
    get(url + path, { headers: { 'Accept-Encoding': encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ headers: new Headers(response.headers as Record<string, string>), body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
    return promise;
  }
});

const summaryOf = (operationId: string) =>
  String(
    Object.values(openApi.paths)
      .flatMap((verbs) => Object.values(verbs))
      .find((operation) => operation.operationId === operationId)?.summary,
  );

const CHROMIUM_PATH = '/usr/bin/chromium';
const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// CI has Chromium and must run these tests. Machines without Chromium skip them.
describe.skipIf(!existsSync(CHROMIUM_PATH) && process.env['CI'] !== 'true')(`in a browser (${CHROMIUM_PATH})`, () => {
  let browser: BrowserContext;
  let page: Page;
  const errors: string[] = [];
  const requestedUrls: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launchPersistentContext('', {
      executablePath: CHROMIUM_PATH,
      args: CHROMIUM_ARGUMENTS,
      viewport: { width: 1400, height: 900 },
    });
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    browser.on('request', (request) => requestedUrls.push(request.url()));
    page.setDefaultTimeout(30_000);
    await page.addInitScript({
      content: `globalThis.violations = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
          violations.push(effectiveDirective + ' ' + blockedURI));`,
    });
    await page.goto(`${url}/docs`);
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
    await page.goto(`${url}/docs`);
    await page.getByText(summaryOf('listAuditEvents'), { exact: true }).first().click();
    const sample = page.locator('code', { hasText: `${url}/external/audit/list` }).first();
    expect(await sample.textContent()).toBe(
      `curl ${url}/external/audit/list \\\n  --header 'X-API-Key: YOUR_SECRET_TOKEN'\n`,
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
