import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createCompany } from '../support/tenants/company.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/evidence.md'), 'utf8');
/** Commands of the section with this title. */
const commandsOf = (title: string) =>
  [...(page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, commands]) => commands)
    .join('');

// CI has curl and openssl and must run this test.
const isMissing = [
  ['curl', '--version'],
  ['openssl', 'version'],
].some(([name = '', option = '']) => spawnSync(name, [option]).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')('docs/evidence.md (needs curl and openssl)', () => {
  test('its commands attach, find, change, download and delete evidence', async () => {
    const acme = await createCompany();
    const { uniqueId: task } = await acme.newTask();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const { key } = await acme.manage.apiKey.create({
      name: 'Evidence',
      scopes: ['task:read', 'vendor:read', 'evidence:read', 'evidence:write', 'evidence:delete'],
    });
    const cwd = await temporaryFolder();
    const bytes = 'Every right was looked at.\n'.repeat(1000);
    await writeFile(join(cwd, 'review.pdf'), bytes);
    const variables: Record<string, string> = { API: url, KEY: key, TASK: task, VENDOR: vendor };
    const run = async (script: string) => {
      // The page shows the ids of somebody else.
      const localScript = script.replaceAll(/^(EVIDENCE|SHA256)=.*$/gm, '');
      return (await promisify(execFile)('bash', ['-euc', localScript], { cwd, env: { ...process.env, ...variables } }))
        .stdout;
    };

    const attach = commandsOf('Attach a file');
    const attached = await run(attach);
    expect(attached).toMatch(/^HTTP\/1\.1 201 /m);
    expect(await run(attach)).toMatch(/^idempotency-replayed: true/im);
    const { uniqueId, sha256 } = JSON.parse(attached.split('\r\n\r\n').at(-1) ?? '') as {
      uniqueId: string;
      sha256: string;
    };
    Object.assign(variables, { EVIDENCE: uniqueId, SHA256: sha256 });
    expect(await run(commandsOf('Attach a link'))).toContain('"kind":"link"');
    expect(await run(commandsOf('Dates'))).toContain('"name":"ISO 27001 certificate"');

    const [save = '', resume = ''] = commandsOf('Download').split(/^(?=curl .*-C -)/m);
    expect(await run(save)).toContain(sha256);
    await writeFile(join(cwd, 'copy.pdf'), bytes.slice(0, 100));
    await run(resume);
    expect(await readFile(join(cwd, 'copy.pdf'), 'utf8')).toBe(bytes);

    expect(await run(commandsOf('List, change, delete'))).toContain('"note":"Signed by the head of IT"');
    expect(await acme.task.get({ taskUniqueId: task })).toMatchObject({ evidenceCount: 0 });
  });
});
