import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { databaseUrl } from '../support/database/database.ts';
import { findFreePort } from '../support/http/listen.ts';
import { execFileAsync } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const page = await readFile(join(root, 'docs/ci.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
const [script = ''] = blocks('sh');
const [workflow = '', container = ''] = blocks('yaml');
const KEY = /DEMO_API_KEY=(\S+)/.exec(script)?.[1];
const folder = await temporaryFolder();

/** The commands of a script, without the results behind them. */
const commandsOf = (text: string) => text.split('\n').flatMap((line) => line.replace(/ +# .*$/, '').trim() || []);

test.runIf(databaseUrl === undefined)(
  'the commands of docs/ci.md start a service with the key of the page, and print the documented results',
  async () => {
    const port = await findFreePort();
    const [install, ...commands] = commandsOf(script);
    expect(install).toBe('npm ci --omit=dev'); // the packages of this installation do
    const local = commands
      .join('\n')
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replace('>service.log', `>${folder}/service.log`)
      .replace('$(mktemp -d)', `${folder}/data`);
    const { stdout } = await execFileAsync('bash', ['-ec', `trap 'kill $!; wait $!' EXIT\n${local}`], {
      cwd: root,
      env: { ...process.env, PORT: String(port), DATABASE_URL: '' },
    });
    const documented = [...script.matchAll(/# ([[{].*)$/gm)].map(([, result]) => result);
    expect(documented).toHaveLength(2);
    const [start, end] = documented.join('').split(',…');
    expect(stdout.startsWith(start ?? '') && stdout.endsWith(end ?? '')).toBe(true);
    const log = await readFile(join(folder, 'service.log'), 'utf8');
    expect(log).toContain('Its API key is that of DEMO_API_KEY.');
    expect(log).not.toContain(KEY);
  },
);

test('the workflow of docs/ci.md has the commands and the key of the page', () => {
  const { jobs } = parse(workflow) as {
    jobs: { test: { env: object; steps: { run?: string; 'working-directory'?: string }[] } };
  };
  expect(jobs.test.env).toEqual({ DEMO_API_KEY: KEY });
  const steps = jobs.test.steps.filter((step) => step['working-directory'] === 'compliance');
  const run = commandsOf(steps.map((step) => step.run).join('\n'));
  expect(run).toHaveLength(3);
  for (const command of run) expect(commandsOf(script)).toContain(command);
  expect(parse(container)).toMatchObject({ services: { compliance: { env: { DEMO_API_KEY: KEY } } } });
});
