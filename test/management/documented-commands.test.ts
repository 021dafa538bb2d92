import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { findFreePort } from '../support/http/listen.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { execFileAsync } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const { engines } = packageFile;
const root = join(import.meta.dirname, '../..');
const folder = await temporaryFolder();

const names = (await readdir(join(root, 'docs'), { recursive: true })).filter(
  (name) => name.endsWith('.md') && !name.includes('node_modules'),
);
const files = ['README.md', 'deploy/README.md', ...names.map((name) => join('docs', name))];
const pages = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));

const COMMAND = /npx --no compliance (?!…)[^#`\n]+/;
/** A command whose result is in a comment behind it, or in a block of JSON that follows. */
const SHOWN = new RegExp(`(${COMMAND.source})# *(?:\\{|\\[)|(${COMMAND.source})\\n\`\`\`\\n\\n\`\`\`json`, 'g');

const commands = pages.flatMap(({ text }) => text.match(new RegExp(COMMAND, 'g')) ?? []);
const shown = pages.flatMap(({ file, text }) =>
  [...text.matchAll(SHOWN)].map(
    ([, inComment, beforeBlock]) => [file, (inComment ?? beforeBlock ?? '').trim()] as const,
  ),
);
/**
 * A move needs another cell, files in S3 need a bucket, and a copy PostgreSQL; `test/cells`, `test/evidence` and `test/operations` run
 * them.
 */
const runnable = shown.filter(([, command]) => !/company move|evidence adopt|database copy/.test(command));

test('the commands of the docs name a company that a new installation has', () => {
  const ids = commands.flatMap((command) => /--company (\d+)/.exec(command)?.[1] ?? []);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids)).toEqual(new Set(['1']));
  expect(pages.filter(({ text }) => text.includes('npm run manage')).map(({ file }) => file)).toEqual([]);
});

test('the documented start writes only log lines to stdout, each documented result is JSON, and SIGTERM ends with 0', async () => {
  expect(runnable.length).toBeGreaterThanOrEqual(7);
  const mail = await startMailServer();
  const settings = { PORT: String(await findFreePort()), DATA_DIR: join(folder, 'data') };
  // As for a reader: without the Node of the tests, npm and npx find that of node_modules.
  const PATH = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.includes('node_modules'));
  const env = { ...process.env, DATABASE_URL: '', PATH: PATH.join(':'), ...settings };
  const service = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...env, SMTP_URL: mail.url, SMTP_FROM: 'compliance@example.com' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(service, 'exit');
  let [stdout, stderr] = ['', ''];
  service.stdout.on('data', (chunk) => (stdout += String(chunk)));
  service.stderr.on('data', (chunk) => (stderr += String(chunk)));
  try {
    await expect.poll(() => stderr, { timeout: 120_000 }).toContain('Manage');
    for (const [file, command] of runnable) {
      const result = await execFileAsync('bash', ['-c', command], { cwd: root, env });
      expect({ file, command, isJson: isJson(result.stdout) }).toEqual({ file, command, isJson: true });
    }
  } finally {
    service.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
  expect(
    stdout
      .trim()
      .split('\n')
      .filter((line) => !isJson(line)),
  ).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('an older Node gets one line that says which one is needed', async () => {
  const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})`;
  for (const program of ['server/main.js', 'cli/main.js']) {
    const run = execFileAsync(process.execPath, ['--import', older, program], { cwd: root });
    const stderr = `Node ${engines.node.replace('>=', '')} or newer is needed, and this is 20.20.2; npm start brings its own, as does npx --no compliance\n`;
    await expect(run).rejects.toMatchObject({ code: 1, stdout: '', stderr });
    // A name that a module of an older Node lacks is an error before the check runs.
    const code = await readFile(join(root, program), 'utf8');
    expect(code.match(/^import (?!\* as module ).*$/gm)?.[0]).toMatch(/require-node\.js';$/);
    expect(code).not.toMatch(/^import \{.*'node:module'/m);
  }
});
