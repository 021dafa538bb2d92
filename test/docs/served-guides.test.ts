import { readFile, readdir } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readGuides } from '../../server/docs/guides.ts';
import type { SearchEntry } from '../../server/docs/site.ts';
import { url } from '../support/http/server.ts';
import { openApi } from '../support/openapi/conformance.ts';

const docs = join(import.meta.dirname, '../../docs');
const groups = await readGuides();
const guides = groups.flatMap((group) => group.guides);
const pages = ['/docs', '/docs/commands', ...guides.map(({ path }) => `/docs/${path}`)];

const operations = Object.values(openApi.paths).flatMap((verbs) => Object.values(verbs));
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
const linksOf = (html: string) => [...html.matchAll(/ (?:href|src|srcset)="([^"]*)"/g)].map(([, link = '']) => link);

/** Sends a request as a reader without a key. The pages may show an example of a key. */
async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, { redirect: 'manual', ...init });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers) as Record<string, string>, text: await response.text() };
}

describe('docs/README.md', () => {
  test('lists every page once', async () => {
    const index = await readFile(join(docs, 'README.md'), 'utf8');
    const listed = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, file]) => file);
    expect(new Set(listed).size).toBe(listed.length);
    const files = (await readdir(docs, { recursive: true })).filter(
      (file) => file.endsWith('.md') && file !== 'README.md' && !file.includes('node_modules'),
    );
    expect(listed).toEqual(expect.arrayContaining(files));
  });

  test('has the groups of readers, of which integrators are the first', () => {
    expect(groups.map(({ name }) => name)).toEqual(['Integrators', 'People', 'Operators']);
    expect(guides.length).toBeGreaterThan(25);
  });

  test('begins with commands that create and list a vendor and a task', async () => {
    const { text } = await ask('/docs');
    const [, code = ''] = /<pre[^>]*><code>(.*?)<\/code>/s.exec(text) ?? [];
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
    expect([...code.matchAll(/\/external\/\S+(?=\$|&#34;)/g)].map(([path]) => path)).toEqual([
      '/external/smart-inventory/vendor/new',
      '/external/smart-inventory/vendor/list',
      '/external/task/framework/1/new',
      '/external/task/framework/1/list?limit=10',
    ]);
  });
});

describe('the pages at /docs', () => {
  test('have a policy without inline code, and are revalidated', async () => {
    for (const path of ['/docs', '/docs/', '/docs/webhooks']) {
      const { status, headers } = await ask(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'referrer-policy': 'same-origin' });
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'none'",
      ]);
      const unchanged = await ask(path, {
        headers: { 'If-None-Match': String(headers['etag']), 'Cache-Control': 'max-age=0' }, // fetch would add no-cache
      });
      expect(unchanged).toMatchObject({ status: 304, text: '' });
      expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    }
  });

  test('are compressed with what the browser accepts', async () => {
    const plain = await fetchEncoded('identity');
    const br = await fetchEncoded('gzip, deflate, br, zstd');
    const gzip = await fetchEncoded('gzip');
    expect([br.encoding, gzip.encoding]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  });

  test('show each guide with its title, and have links to all others', async () => {
    for (const path of pages) {
      const { status, text } = await ask(path);
      expect([path, status]).toEqual([path, 200]);
      expect([path, text.indexOf('<h1 ') > text.indexOf('<main')]).toEqual([path, true]);
      expect(new Set(idsOf(text)).size).toBe(idsOf(text).length);
      expect(linksOf(text)).toEqual(expect.arrayContaining(pages.filter((other) => other !== '/docs/commands')));
    }
  });

  test('have only links that lead somewhere', async () => {
    const found = new Map<string, Promise<{ status: number; ids: Set<string> }>>();
    const read = async (path: string) => {
      const { status, text } = await ask(path);
      return { status, ids: new Set(idsOf(text)) };
    };
    const broken: string[] = [];
    for (const page of pages) {
      for (const link of linksOf((await ask(page)).text)) {
        if (/^(?:https?|mailto|data):/.test(link)) continue;
        const { pathname, hash } = new URL(link, url + page);
        if (pathname === '/') continue; // the application, which is not built here
        const target = found.get(pathname) ?? read(pathname);
        found.set(pathname, target);
        const { status, ids } = await target;
        if (status !== 200 || (hash !== '' && !ids.has(hash.slice(1)))) broken.push(`${page}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
    expect(found.size).toBeGreaterThan(pages.length);
  });

  test('show the generated tables, which the files do not have', async () => {
    const contract = (await ask('/docs/contract')).text;
    expect(contract).toMatch(/<td><code>priority<\/code><\/td>/);
    expect((await ask('/docs/mcp')).text).toMatch(/<td><code>task_list<\/code><\/td>/);
    expect((await ask('/docs/privacy')).text).toMatch(/<td><code>web_session<\/code><\/td>/);
    for (const file of ['contract.md', 'mcp.md', 'privacy.md']) {
      const committed = await readFile(join(docs, file), 'utf8');
      const served = (await ask(`/docs/${file}`)).text;
      const between = /<!-- ([\w: ]+) -->([^]*?)<!-- \/\w+ -->/g;
      expect(served.match(between)?.length).toBe(committed.match(between)?.length);
      for (const [, marker, text = ''] of committed.matchAll(between))
        expect([marker, text.trim()]).toEqual([marker, '']);
      for (const [, marker, text = ''] of served.matchAll(between))
        expect([marker, text.trim().length > 0]).toEqual([marker, true]);
    }
  });

  test('name this service in their examples, and no file of the source as a link', async () => {
    const { text } = await ask('/docs/commands');
    expect(text).toContain('API=http://localhost\n');
    expect((await ask('/docs')).text).toContain('API=http://localhost\n');
    expect((await ask('/docs')).text).toContain('<code>CONTRIBUTING.md</code> in the source code');
  });

  test('are read-only, and the only files that are served', async () => {
    expect(await ask('/docs', { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await ask('/docs/changelog')).toMatchObject({
      status: 302,
      headers: { location: '/docs/api-changelog' },
    });
    const others = [
      '/docs/adding-a-field',
      '/docs/clients/package.json',
      '/docs/..%2fpackage.json',
      '/docsx',
      '/docs/x.js',
    ];
    for (const path of [...others, '/docs/clients/types.ts', '/docs/__proto__', '/docs/toString'])
      expect(await ask(path)).toMatchObject({ status: 404, headers: { 'x-error-code': 'not_found' } });
  });
});

test('the search index has every guide and every operation, each with an address that exists', async () => {
  const { status, headers, text: json } = await ask('/docs/search.json');
  expect({ status, type: headers['content-type'] }).toMatchObject({
    status: 200,
    type: 'application/json; charset=utf-8',
  });
  const entries = JSON.parse(json) as SearchEntry[];
  expect(entries.map(({ href }) => href)).toEqual(expect.arrayContaining(pages.slice(1)));
  const titles = new Set(entries.map(({ title }) => title));
  expect(operations.map(({ summary }) => summary).filter((summary) => !titles.has(summary))).toEqual([]);
  const idsByPage = new Map<string, string[]>();
  for (const { href, text } of entries) {
    const [page = '', id] = href.split('#');
    if (!idsByPage.has(page)) idsByPage.set(page, idsOf((await ask(page)).text));
    if (id !== undefined) expect(idsByPage.get(page)).toContain(id);
    expect(text).not.toMatch(/<!--|\]\(/);
  }
  const receive = entries.filter(({ text, title }) => `${title} ${text}`.includes('webhook-signature'));
  expect(receive.map(({ page }) => page)).toContain('Webhooks');
});

test('llms.txt lists the guides as Markdown, with absolute addresses', async () => {
  const { text, headers } = await ask('/llms.txt');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect((await ask('/docs/llms.txt')).text).toBe(text);
  expect(text).toMatch(/^# .+\n\n> .+\n\n## /);
  const links = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, link = '']) => link);
  expect(links).toHaveLength(guides.length + 2);
  for (const link of links) {
    expect(link).toMatch(/^http:\/\/localhost\//);
    const { status, headers: linked, text: markdown } = await ask(new URL(link).pathname);
    expect([link, status]).toEqual([link, 200]);
    if (!link.endsWith('.md')) continue;
    expect(linked['content-type']).toBe('text/markdown; charset=utf-8');
    expect(markdown).toMatch(/^# /);
  }
});

/** Fetches the index without decompressing it. */
async function fetchEncoded(encoding: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ encoding: string | undefined; body: Buffer }>();
  get(`${url}/docs`, { headers: { 'Accept-Encoding': encoding } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) }));
  }).on('error', reject);
  return promise;
}
