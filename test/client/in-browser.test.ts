import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { testInChromium } from '../support/app/shared-chromium.ts';
import { listen } from '../support/http/listen.ts';
import { url } from '../support/http/server.ts';
import { installClient } from '../support/openapi/client-package.ts';
import { createCompany } from '../support/tenants/company.ts';

const { project } = await installClient();

// CI has Chromium and must run this test.
describe.skipIf(isWithoutChromium)('in a browser', () => {
  let tab: Page;
  testInChromium.beforeAll(async ({ chromium }) => {
    tab = await chromium.newPage();
  });
  afterAll(() => tab.close());

  test('a page calls the API through a proxy that adds the key', async () => {
    const acme = await createCompany();
    const importMap =
      '{"imports":{"@compliance/client":"/@compliance/client/dist/index.js","openapi-fetch":"/openapi-fetch/dist/index.mjs"}}';
    const server = createServer((incoming, response) => {
      const path = incoming.url ?? '/';
      if (path.startsWith('/external/')) {
        const headers = { ...incoming.headers, 'x-api-key': acme.key };
        const target = new URL(path, url);
        incoming.pipe(
          request(target, { method: incoming.method, headers }, (upstream) => {
            response.writeHead(upstream.statusCode ?? 502, upstream.headers);
            upstream.pipe(response);
          }),
        );
      } else if (path === '/')
        response.setHeader('Content-Type', 'text/html').end(`<script type="importmap">${importMap}</script>`);
      else
        void readFile(join(project, 'node_modules', path)).then(
          (module) => response.setHeader('Content-Type', 'text/javascript').end(module),
          () => response.writeHead(404).end(),
        );
    });
    const origin = await listen(server);
    onTestFinished(origin.stop);
    await tab.goto(origin.url);
    const program = `(async () => {
      const { ComplianceClient } = await import('@compliance/client');
      const client = new ComplianceClient({ baseUrl: location.origin });
      const { upsert, item } = await client.vendors.upsert('erp', 'a/b', { name: 'Cloud Ltd' });
      const names = [];
      for await (const { name } of client.vendors.list()) names.push(name);
      const error = await client.vendors.update(item.uniqueId, { name: '' }).catch(({ code }) => code);
      return [upsert, names, error];
    })()`;
    expect(await tab.evaluate(program)).toEqual(['created', ['Cloud Ltd'], 'invalid_request']);
  });
});
