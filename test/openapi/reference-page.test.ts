import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { http, url } from '../support/http/server.ts';

describe('/docs/reference', () => {
  test('is a page whose policy blocks other hosts', async () => {
    for (const path of ['/docs/reference', '/docs/reference/']) {
      const { status, headers } = await http('GET', path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
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
    const [first, second] = [await http('GET', '/docs/reference'), await http('GET', '/docs/reference')];
    const nonceOf = (text: string) => /csp-nonce" content="([^"]+)"/.exec(text)?.[1];
    expect(nonceOf(first.text)).not.toBe(nonceOf(second.text));
    expect(first.headers['content-security-policy']).toContain(`'nonce-${nonceOf(first.text)}'`);
    expect(first.text).not.toMatch(/https?:|src="\/\//);
  });

  test('has permanently cacheable files, in the encodings that the browser accepts', async () => {
    const { text } = await http('GET', '/docs/reference');
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
    expect(await http('POST', '/docs/reference')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    for (const path of [
      '/docs/reference/page.html',
      '/docs/reference/..%2fopenapi.ts',
      '/docs/reference/x.js',
      '/docs/referencex',
    ]) {
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
