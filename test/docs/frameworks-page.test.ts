import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createCompany } from '../support/tenants/company.ts';
import { runImports } from '../support/tenants/imports.ts';
import { createMember } from '../support/tenants/member.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/frameworks.md'), 'utf8');
/** The commands in the section with a title. */
const commandsOf = (title: string) => {
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands).join('');
};

/** Sections whose commands work on requirements that are there. */
const SECTIONS = [
  'Say what applies, and why',
  'Assess',
  'Link work and evidence',
  'Report',
  'Statement of applicability',
];

// CI has curl and jq and must run these tests.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')(
  'the commands in docs/frameworks.md (need curl and jq)',
  () => {
    test('lead from requirements to a statement of applicability, with the documented statuses', async () => {
      const acme = await createCompany();
      const ann = await createMember(acme);
      const { framework } = acme;
      const { key } = await acme.manage.apiKey.create({
        name: 'Requirements',
        scopes: ['requirement:write', 'task:read', 'task:write'],
      });
      const folder = await temporaryFolder();
      const control = { id: 'c.1', title: 'Backups are tried' };
      const catalog = { catalog: { groups: [{ id: 'c', title: 'Operation', controls: [control] }] } };
      await writeFile(join(folder, 'catalog.json'), JSON.stringify(catalog));
      const env = { ...process.env, API: url, KEY: key, FRAMEWORK: String(framework) };
      const runSections = async (sections: readonly string[]) => {
        const script = sections.map(commandsOf).join('');
        const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env, cwd: folder });
        const documented = [...script.matchAll(/# (HTTP\/1\.1 \d+)/g)].map(([, status]) => status);
        return { sent: stdout.match(/HTTP\/1\.1 \d+/g), documented, stdout };
      };
      const started = await runSections(['Import a catalog']);
      expect(started.sent).toEqual(['HTTP/1.1 202', 'HTTP/1.1 202']);
      await runImports(acme);
      const { sent, documented, stdout } = await runSections(SECTIONS);
      expect(sent).toEqual(documented);
      expect(documented).toHaveLength(5);
      expect(stdout).toContain('"now":{"requirements":{"met":0,"partlyMet":1,');
      const { items } = await ann.caller.requirement.list({ framework });
      expect(items.map(({ ref, status }) => [ref, status])).toEqual([
        ['A', null],
        ['C', null],
        ['A.1', 'not_assessed'],
        ['C.1', 'not_assessed'],
        ['A.2', 'partly_met'],
        ['B', null],
        ['B.1', 'not_applicable'],
      ]);
      const review = items.find(({ ref }) => ref === 'A.2')?.uniqueId ?? '';
      expect(await ann.caller.requirement.get({ requirement: review })).toMatchObject({ tasks: { open: 1 } });
      const statement = await readFile(join(folder, 'statement.csv'), 'utf8');
      expect(statement).toMatch(/A\.2,Access is reviewed,.*Partly met/);
      expect(statement).toMatch(/B\.1,Server rooms are locked,.*whose report covers its rooms/);
    });
  },
);
