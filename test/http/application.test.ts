import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const SCRIPT = 'console.log(1)';
const PAGE =
  '<meta name="session" content="{{session}}"><script nonce="{{nonce}}" src="/assets/main-1.js"></script><meta property="csp-nonce" nonce="{{nonce}}">';
const NAVIGATION = { 'Sec-Fetch-Dest': 'document' };
/** A navigation over http, without `Sec-Fetch-Dest`. */
const HTTP_NAVIGATION = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };

const folder = await temporaryFolder();
const assets = join(folder, 'dist', 'assets');
await mkdir(assets, { recursive: true });
await writeFile(join(folder, 'secret.txt'), 'secret');
await writeFile(join(folder, 'dist', 'index.html'), PAGE);
await writeFile(join(assets, 'main-1.js'), SCRIPT);
await writeFile(join(assets, 'main-1.js.br'), brotliCompressSync(SCRIPT));
await writeFile(join(assets, 'main-1.js.gz'), gzipSync(SCRIPT));
await writeFile(join(assets, 'icon-2.svg'), '<svg/>');
await writeFile(join(assets, 'worker-3.mjs'), SCRIPT);
const built = await startApp({ applicationDirectory: pathToFileURL(`${folder}/dist/`) });
const notBuilt = await startApp({ applicationDirectory: pathToFileURL(`${folder}/missing/`) });
afterAll(() => Promise.all([built.stop(), notBuilt.stop()]));

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  http(method, path, { baseUrl: built.url, headers });

/** Nonces in the page and in the policy of a response. */
function noncesOf({ text, headers }: Awaited<ReturnType<typeof http>>): string[] {
  const policy = String(headers['content-security-policy']);
  return [...`${text} ${policy}`.matchAll(/nonce(?:="|-)([A-Za-z0-9+/]{22}==)/g)].map(([, nonce = '']) => nonce);
}

describe('the page', () => {
  test('is shown at / and wherever a browser navigates', async () => {
    for (const path of ['/tasks/1?asOf=2026-01-01', '/nothing', '/externalx', '/vendors/a%2Fb']) {
      for (const navigation of [NAVIGATION, HTTP_NAVIGATION]) {
        expect(await send(path, navigation)).toMatchObject({ status: 200, text: expect.stringContaining('main-1.js') });
        expect(await send(path, navigation, 'HEAD')).toMatchObject({ status: 200, text: '' });
        expect(await send(path, navigation, 'POST')).toMatchObject({ status: 404 });
      }
      expect(await send(path)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    }
    const page = await send('/');
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const head = await send('/', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(page.headers['content-length']);
    expect(await send('/', {}, 'POST')).toMatchObject({ status: 405 });
  });

  test('is not shown to programs, nor to scripts and images of a page', async () => {
    for (const headers of [
      { Accept: '*/*' },
      { Accept: 'application/json, text/plain, */*' },
      { Accept: 'text/html;q=0, */*' },
      { Accept: 'text/htmlx' },
      { ...HTTP_NAVIGATION, 'Sec-Fetch-Dest': 'empty' },
      { ...HTTP_NAVIGATION, 'Sec-Fetch-Dest': 'image' },
    ])
      expect([headers, (await send('/tasks', headers)).status]).toEqual([headers, 404]);
  });

  test('is not shown at the paths of the API', async () => {
    const paths = [
      '/external/nothing',
      '/trpc/nothing',
      '/session/nothing',
      '/docs/nothing',
      '/docs/reference/nothing',
      '/assets/nothing',
      '/packages/nothing',
    ];
    for (const path of [...paths, '/.well-known/nothing', '/healthz', '/readyz', '/openapi.json', '/session']) {
      for (const navigation of [NAVIGATION, HTTP_NAVIGATION])
        expect((await send(path, navigation)).headers['content-type']).toMatch(/^application\/json/);
    }
  });

  test('says whether the request has a session cookie', async () => {
    const withCookie = await send('/', { Cookie: 'theme=dark; session-80=token' });
    expect(withCookie.text).toContain('<meta name="session" content="present">');
    const withoutCookie = await send('/', { Cookie: 'theme=dark' });
    expect(withoutCookie.text).toContain('<meta name="session" content="absent">');
  });

  test('has a nonce of its own in each response, and a policy without inline code', async () => {
    const { headers, ...first } = await send('/');
    const nonces = [{ headers, ...first }, await send('/')].map(noncesOf);
    for (const found of nonces) {
      expect(found).toHaveLength(4);
      expect(new Set(found).size).toBe(1);
    }
    expect(nonces[0]?.[0]).not.toBe(nonces[1]?.[0]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe-|\*|https?:/);
    expect(policy).not.toMatch(/(?:img|script|style|object|connect|child|worker)-src[^;]*blob:/);
    for (const directive of [
      "default-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      'frame-src blob:',
    ])
      expect(policy).toContain(directive);
  });
});

describe('an asset', () => {
  test('is immutable, and has the best encoding that the client accepts', async () => {
    for (const [accepted, encoding, text] of [
      ['gzip, deflate, br', 'br', brotliCompressSync(SCRIPT).toString()],
      ['gzip', 'gzip', gzipSync(SCRIPT).toString()],
      ['br;q=0', undefined, SCRIPT],
      ['identity', undefined, SCRIPT],
    ] as const) {
      const response = await send('/assets/main-1.js', { 'Accept-Encoding': accepted });
      expect(response).toMatchObject({ status: 200, text });
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      });
    }
    const icon = await send('/assets/icon-2.svg', { 'Accept-Encoding': 'br' });
    expect(icon).toMatchObject({ status: 200, text: '<svg/>', headers: { 'content-type': 'image/svg+xml' } });
    expect(await send('/assets/main-1.js', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test('has a policy that permits no request if it is a worker', async () => {
    const { headers } = await send('/assets/worker-3.mjs');
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': "default-src 'none'; script-src 'wasm-unsafe-eval'",
    });
  });

  test('is only a file of the build', async () => {
    const outside = ['../index.html', '..%2findex.html', '../../secret.txt', '%2e%2e/index.html', '..\\index.html'];
    for (const name of [...outside, 'main-1.js.br', 'main-1.js.gz', 'main-2.js', '', '.', 'constructor', '%00'])
      expect(await send(`/assets/${name}`)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(await send('/assets/main-1.js', {}, 'POST')).toMatchObject({ status: 405 });
  });
});

describe('without a build', () => {
  test('/ is 503 with the command that builds it, and the API works', async () => {
    for (const [path, headers] of [
      ['/', {}],
      ['/tasks', NAVIGATION],
    ] as const) {
      const response = await http('GET', path, { baseUrl: notBuilt.url, headers });
      expect(response.status).toBe(503);
      expect(response.headers['x-error-code']).toBe('unavailable');
      expect(response.body).toEqual({ error: 'The application is not built: run npm run build:app' });
    }
    expect(await http('GET', '/assets/main-1.js', { baseUrl: notBuilt.url })).toMatchObject({ status: 404 });
    expect(await http('GET', '/tasks', { baseUrl: notBuilt.url })).toMatchObject({ status: 404 });
    expect(await http('GET', '/healthz', { baseUrl: notBuilt.url })).toMatchObject({ status: 200 });
  });
});
