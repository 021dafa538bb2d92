import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/frameworks.md'), 'utf8');
/** The commands in the section with a title. */
const commandsOf = (title: string) => page.split(`\n## ${title}\n`)[1]?.match(/^```sh\n(.*?)^```/ms)?.[1] ?? '';

/** Sections whose commands work on requirements that are there. */
const SECTIONS = ['Say what applies, and why', 'Assess', 'Link work and evidence', 'Statement of applicability'];

// CI has curl and jq and must run these tests.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')(
  'the commands in docs/frameworks.md (need curl and jq)',
  () => {
    test('lead from requirements to a statement of applicability, with the documented statuses', async () => {
      const acme = await createCompany();
      const ann = await createMember(acme);
      const { framework } = acme;
      const create = async (ref: string, title: string, further: object = {}) =>
        (await ann.caller.requirement.create({ framework, ref, title, ...further })).uniqueId;
      const access = await create('A', 'Access', { assessable: false });
      await create('A.1', 'Access follows the work', { parent: access });
      const review = await create('A.2', 'Access is reviewed', { parent: access });
      await create('B.1', 'Server rooms are locked');
      const { key } = await acme.manage.apiKey.create({
        name: 'Requirements',
        scopes: ['requirement:write', 'task:read', 'task:write'],
      });
      const script = SECTIONS.map(commandsOf).join('');
      const folder = await temporaryFolder();
      const env = { ...process.env, API: url, KEY: key, FRAMEWORK: String(framework) };
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env, cwd: folder });
      const documented = [...script.matchAll(/# (HTTP\/1\.1 \d+)/g)].map(([, status]) => status);
      expect(stdout.match(/HTTP\/1\.1 \d+/g)).toEqual(documented);
      expect(documented).toHaveLength(5);
      const { items } = await ann.caller.requirement.list({ framework });
      expect(items.map(({ ref, status }) => [ref, status])).toEqual([
        ['A', null],
        ['A.1', 'not_assessed'],
        ['A.2', 'partly_met'],
        ['B.1', 'not_applicable'],
      ]);
      expect(await ann.caller.requirement.get({ requirement: review })).toMatchObject({ tasks: { open: 1 } });
      const statement = await readFile(join(folder, 'statement.csv'), 'utf8');
      expect(statement).toMatch(/A\.2,Access is reviewed,.*Partly met/);
      expect(statement).toMatch(/B\.1,Server rooms are locked,.*whose report covers its rooms/);
    });
  },
);
