import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/quick-start.md'), 'utf8');
/** All commands but the start of the service and the setting of the key. */
const script = [...page.matchAll(/^```sh\n(.*?)^```/gms)]
  .map(([, commands = '']) => commands)
  .filter((commands) => commands.includes('curl'))
  .join('');

// CI has curl and jq and must run these tests.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')('docs/quick-start.md (needs curl and jq)', () => {
  test('its commands create, change and list a task and a vendor, and show an error', async () => {
    const acme = await createCompany();
    const localScript = script
      .replaceAll('framework/1/', `framework/${acme.framework}/`)
      .replaceAll('curl -sS', `curl -sS -w '\\n'`);
    const env = { ...process.env, API: url, KEY: acme.key };
    const { stdout } = await promisify(execFile)('bash', ['-euc', localScript], { env });
    const responses = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
    const task = {
      title: 'Review access rights',
      priority: 2,
      dueDate: '2027-03-31',
      status: 'in_progress',
      version: 2,
    };
    expect(responses).toMatchObject([
      [{ id: acme.framework, archived: false }],
      { ...task, labels: ['access'] },
      { total: 1, items: [task], nextCursor: null },
      { name: 'Paper Inc', externalIds: [{ source: 'erp', externalId: '4711' }] },
      [{ name: 'Cloud Ltd' }, { name: 'Paper Inc' }],
      { error: 'priority: expected an integer from 1 to 4' },
    ]);
    expect(await acme.vendor.list({ view: 'full', limit: 10 })).toMatchObject([
      { name: 'Cloud Ltd', website: 'https://cloud.example', criticality: 2 },
      { name: 'Paper Inc' },
    ]);
  });
});
