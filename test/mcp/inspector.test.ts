import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { listedTools } from '../support/http/mcp.ts';
import { url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

const require = createRequire(import.meta.url);
const INSPECTOR = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

// The inspector writes its settings below the home directory.
const home = await mkdtemp(join(tmpdir(), 'inspector-'));
const acme = await createCompany();
afterAll(() => rm(home, { recursive: true }));

/** Runs the command line of the inspector. Returns what it prints. */
async function inspect(era: string, ...options: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      INSPECTOR,
      '--cli',
      `${url}/mcp`,
      '--transport=http',
      `--header=X-API-Key: ${acme.key}`,
      `--protocol-era=${era}`,
      '--format=json',
      ...options,
    ],
    { env: { ...process.env, HOME: home }, maxBuffer: 10 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
}

describe.each(['legacy', 'modern'])('the inspector with a %s protocol', (era) => {
  test('lists the tools and finds no problem in their schemas', async () => {
    const result = await inspect(era, '--method', 'tools/list', '--strict');
    const tools: unknown =
      Reflect.get(Object(result), 'tools') ?? Reflect.get(Object(Reflect.get(Object(result), 'result')), 'tools');
    const names = Array.isArray(tools) ? tools.map((tool: unknown) => Reflect.get(Object(tool), 'name')) : [];
    expect(names).toEqual(await listedTools(acme.key));
  });

  test('calls a tool that writes and one that reads', async () => {
    const name = `Inspected ${era}`;
    const created = await inspect(
      era,
      '--method',
      'tools/call',
      '--tool-name',
      'vendor_create',
      '--tool-arg',
      `name=${name}`,
    );
    expect(JSON.stringify(created)).toContain(name);
    expect(await acme.vendor.list({ q: name })).toHaveLength(1);
    expect(JSON.stringify(await inspect(era, '--method', 'tools/call', '--tool-name', 'framework_list'))).toContain(
      'ISO 27001',
    );
  });
});
