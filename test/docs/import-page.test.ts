import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { runImports } from '../support/tenants/imports.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/import-and-export.md'), 'utf8');
/** Commands behind a heading, until the next section. */
const commandsOf = (heading: string) =>
  [...(page.split(`${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, commands]) => commands)
    .join('');

// CI has curl and must run this test.
const isMissing = spawnSync('curl', ['--version']).error !== undefined;
describe.skipIf(isMissing && process.env['CI'] !== 'true')('docs/import-and-export.md (needs curl)', () => {
  test('its commands export lists, and import vendors and requirements', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: 'Old Ltd' });
    const { key } = await acme.manage.apiKey.create({
      name: 'Import',
      scopes: ['task:read', 'vendor:read', 'vendor:write', 'requirement:write'],
    });
    const caller = await callerForKey(key);
    const cwd = await temporaryFolder();
    const env = { ...process.env, API: url, KEY: key };
    const run = async (script: string) => {
      const localScript = script.replaceAll('framework/1/', `framework/${acme.framework}/`);
      return (await promisify(execFile)('bash', ['-euc', localScript], { cwd, env })).stdout;
    };
    /** Runs commands that start imports, and returns how each one ended. */
    const importAll = async (script: string) => {
      const output = await run(script.replaceAll(/curl (?=-H)/g, 'curl -i '));
      const ids = [...output.matchAll(/^location: \/external\/import\/([\w-]+)\/item/gim)].map(([, id = '']) => id);
      await runImports(acme);
      return Promise.all(ids.map((importUniqueId) => caller.import.get({ importUniqueId })));
    };

    await run(commandsOf('## Export'));
    expect(await readFile(join(cwd, 'tasks.csv'), 'utf8')).toContain('uniqueId,');
    expect(await readFile(join(cwd, 'register.csv'), 'utf8')).toContain('Old Ltd');
    const [start = '', read = ''] = commandsOf('# Import and export').split(/^(?=curl .*\/external\/import\/)/m);
    const [check] = await importAll(start);
    expect(check).toMatchObject({ dryRun: true, rows: 1, unchanged: 1, failed: 0 });
    expect(await run(read.replace('019a…', check?.uniqueId ?? ''))).toContain('"state":"done"');

    const repeated = commandsOf('## Repeated imports');
    expect(await importAll(repeated)).toMatchObject([{ state: 'done', rows: 2, created: 2 }]);
    expect(await importAll(repeated)).toMatchObject([{ state: 'done', rows: 2, unchanged: 2 }]);

    const catalog = { catalog: { controls: [{ id: 'a.6', title: 'Accounts' }] } };
    await writeFile(join(cwd, 'catalog.json'), JSON.stringify(catalog));
    expect(await importAll(commandsOf('## Requirements of a framework'))).toMatchObject([
      { state: 'done', rows: 2, created: 2 },
      { state: 'done', rows: 1, created: 1 },
    ]);
  });
});
