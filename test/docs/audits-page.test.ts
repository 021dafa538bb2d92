import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/audits.md'), 'utf8');
const script = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands).join('');

// CI has curl and jq and must run these tests.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')('the commands in docs/audits.md (need curl and jq)', () => {
  test('lead from a sample, which is recomputed, to a question that is resolved', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    const { framework } = acme;
    const titles = Array.from({ length: 12 }, (_, index) => `Review ${index}`);
    for (const title of titles) {
      const { uniqueId: taskUniqueId } = await acme.task.create({ framework, title });
      await acme.task.update({ taskUniqueId, status: 'done' });
    }
    const { key } = await acme.manage.apiKey.create({
      name: 'Audit',
      scopes: ['task:read', 'task:write', 'vendor:read', 'member:read', 'evidence:read'],
    });
    const env = { ...process.env, API: url, KEY: key, FRAMEWORK: String(framework) };
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env, cwd: await temporaryFolder() });
    const documented = [...script.matchAll(/# (HTTP\/1\.1 \d+)/g)].map(([, status]) => status);
    expect(stdout.match(/HTTP\/1\.1 \d+/g)).toEqual(documented);
    expect(documented).toHaveLength(4);
    expect(stdout).toContain('same sample');
    const { items } = await ann.caller.comment.listAll({ kind: 'question', resolved: true });
    expect(items).toMatchObject([{ text: 'Which systems were in scope?' }]);
  });
});
