import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { url } from '../support/http/server.ts';
import { seal } from '../support/tenants/feed.ts';

const folder = await mkdtemp(join(tmpdir(), 'synchronising-'));
afterAll(() => rm(folder, { recursive: true }));
const page = await readFile(join(import.meta.dirname, '../../docs/synchronising.md'), 'utf8');

/** Returns the command in the section with this title. */
const commandOf = (title: string) => page.split(`## ${title}\n`)[1]?.match(/^```sh\n(.*?)^```/ms)?.[1] ?? '';

// CI has curl and jq and must run this test.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')('docs/synchronising.md (needs curl and jq)', () => {
  test('its commands load, follow, write back and recover', async ({ acme }) => {
    await seal(acme);
    const run = async (script: string, variables: Record<string, string> = {}) => {
      const env = { ...process.env, API: url, KEY: acme.key, ...variables };
      return (await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env })).stdout;
    };
    const cursor = (await run(`${commandOf('Load everything')}printf %s "$CURSOR"`)).trim();
    expect(cursor).toMatch(/^[\w-]{20,}$/);
    expect(await run(commandOf('Write back'))).toMatch(/^HTTP\/1\.1 201 [^]*x-upsert: created/i);
    expect(await run(commandOf('Write back'))).toMatch(/^HTTP\/1\.1 200 [^]*x-upsert: unchanged/i);
    await seal(acme);
    const changes = JSON.parse(await run(commandOf('Follow'), { CURSOR: cursor })) as {
      items: unknown[];
      more: boolean;
    };
    expect(changes).toMatchObject({
      items: [{ action: 'vendor.create', changes: { name: 'Cloud Ltd' } }],
      more: false,
    });
    await run(commandOf('Recover'));
    const lines = (await readFile(join(folder, 'events.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sequence: 1, action: 'company.create' });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ cursor: expect.any(String) });
  });
});
