import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';

// Runs the official conformance suite. https://github.com/modelcontextprotocol/conformance

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** Scenarios that apply. The others need prompts, resources, subscriptions, or the tools of an example server. */
const SCENARIOS = [
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['dns-rebinding-protection', '2026-07-28'],
] as const;

/** Directory in which the suite writes its results. */
const results = await mkdtemp(join(tmpdir(), 'conformance-'));
afterAll(() => rm(results, { recursive: true }));

const { key } = await createCompany();
const server = await startApp({});
afterAll(server.stop);
const url = await startProxy(server.url);

/** Adds the key, which the suite cannot send, and forwards each request with all of its headers. */
async function startProxy(target: string): Promise<string> {
  const proxy = createServer((received, response) => {
    const { method, url: path = '', headers } = received;
    const forwarded = request(new URL(path, target), { method, headers: { ...headers, 'X-API-Key': key } });
    forwarded.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      pipeline(upstream, response, () => {});
    });
    pipeline(received, forwarded, () => {});
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterAll(() => void proxy.close());
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('proxy: expected a port');
  return `http://localhost:${address.port}`;
}

/** Runs a scenario at a path. Returns what the suite prints. */
async function run(scenario: string, version: string, path: string): Promise<string> {
  const options = { '--url': url + path, '--scenario': scenario, '--spec-version': version, '--output-dir': results };
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [SUITE, 'server', ...Object.entries(options).flat()], { cwd: results }, (_, stdout) =>
    resolve(stripVTControlCharacters(stdout)),
  );
  return promise;
}

test.each(SCENARIOS)('the conformance suite passes %s of %s', async (scenario, version) => {
  expect(await run(scenario, version, '/mcp')).toMatch(/\nPassed: ([1-9]\d*)\/\1, 0 failed, 0 warnings\n/);
});

test('the conformance suite finds valid output schemas', async () => {
  for (const version of ['2025-11-25', '2026-07-28'])
    expect(await run('tools-list', version, '/mcp?outputSchemas=true')).toMatch(
      /\nPassed: ([1-9]\d*)\/\1, 0 failed, 0 warnings\n/,
    );
});
