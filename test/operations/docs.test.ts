import { execFile, spawnSync } from 'node:child_process';
import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { OPEN_STATUSES, TASK_STATUSES } from '../../entities/task/task.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';
import { projectFiles } from '../style/files.ts';
import { startApp } from '../support/http/app.ts';
import { url } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = await temporaryFolder();
const { engines } = packageFile;
const read = (file: string) => readFile(file, 'utf8');

test('the commands in docs/idempotency-and-conditional-requests.md return the documented statuses', async () => {
  const acme = await createCompany();
  const page = await readFile(join(root, 'docs', 'idempotency-and-conditional-requests.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  const script = blocks.join('');
  const env = { ...process.env, API: url, KEY: acme.key };
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env });
  const documented = [...script.matchAll(/# (HTTP\/1\.1 \d+)/g)].map(([, status]) => status);
  expect(stdout.match(/HTTP\/1\.1 \d+/g)).toEqual(documented);
  expect(documented).toHaveLength(12);
  expect(await acme.vendor.list()).toMatchObject([
    { name: 'Cloud GmbH', status: 'inactive' },
    { name: 'Hosting Inc', status: 'active' },
  ]);
});

/** Returns the script in the section of docs/pagination.md with this title. */
async function pagingScript(title: string): Promise<string> {
  const page = await read(join(root, 'docs', 'pagination.md'));
  return page.split(`## ${title}`)[1]?.match(/^```sh\n(.*?)^```/ms)?.[1] ?? '';
}

// CI has curl and jq and must run these tests.
const isMissing = ['curl', 'jq'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(isMissing && process.env['CI'] !== 'true')(
  'the commands in docs/pagination.md (need curl and jq)',
  () => {
    const linesOf = async (script: string, { key, framework }: TestCompany) => {
      let appUrl = '';
      const app = await startApp({ services: { ...services, appUrl: () => appUrl } });
      onTestFinished(app.stop);
      appUrl = app.url; // the links begin with it
      const env = { ...process.env, API: app.url, KEY: key };
      const localScript = script.replace('framework/1/', `framework/${framework}/`);
      const { stdout } = await promisify(execFile)('bash', ['-c', localScript], { cwd: folder, env });
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
    };

    test('print the tasks in every open status and no closed task', async () => {
      const acme = await createCompany();
      for (const status of TASK_STATUSES) {
        const { uniqueId } = await acme.newTask({ title: status });
        await acme.task.update({ taskUniqueId: uniqueId, status });
      }
      const script = await pagingScript('All open tasks');
      const items = await linesOf(script.replace('limit=100', 'limit=1'), acme);
      expect(items.map(({ status }) => status)).toEqual([...OPEN_STATUSES]); // oldest first, as none has a due date
    });

    test('print all active vendors', async () => {
      const acme = await createCompany();
      for (const name of ['A', 'B', 'C']) await acme.vendor.create({ name, active: name !== 'B' });
      const script = await pagingScript('All vendors');
      const items = await linesOf(script.replace('limit=500', 'limit=1'), acme);
      expect(items.map(({ name }) => name)).toEqual(['A', 'C']);
    });
  },
);

test('the docs run programs through npm, which provides the required Node version', async () => {
  const files = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => /\.(ts|md)$/.test(file));
  const pages = await Promise.all(
    [join(root, 'README.md'), ...files.map((file) => join(root, 'docs', file))].map(read),
  );
  const commands = pages.flatMap((page) => page.match(/.*\bnode \S+\.ts/g) ?? []);
  expect(commands.length).toBeGreaterThanOrEqual(5);
  for (const command of commands) expect(command).toMatch(/ npm exec -- node docs\/examples\/[\w-]+\.ts$/);
  expect(await read(join(root, 'README.md'))).toContain(`Node ${engines.node.replace('>=', '')} or newer`);
});

test('the documented command of the tRPC client runs', async () => {
  const acme = await createCompany();
  const [command = ''] = (await read(join(root, 'docs', 'clients', 'trpc.md'))).match(/SERVER=.*$/m) ?? [];
  const localCommand = command.replace('http://127.0.0.1:3000', url).replace('svc_sk_live_…', acme.key);
  const { stdout } = await promisify(execFile)('sh', ['-c', localCommand], { cwd: root });
  expect(stdout).toBe('Cloud Ltd is inactive, by Integration of Acme\n');
});

test('every example of a batching client sets the limit of a batch', async () => {
  const files = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => /\.(ts|md)$/.test(file));
  const pages = await Promise.all(
    [join(root, 'README.md'), ...files.map((file) => join(root, 'docs', file))].map(read),
  );
  const links = pages.flatMap((page) => page.match(/httpBatch(Stream)?Link\([^)]*\)/g) ?? []);
  expect(links.length).toBeGreaterThanOrEqual(2);
  for (const link of links) expect(link).toContain('maxItems: 20');
});

/** Folders of the documentation, and pages beside it. */
const PAGE = /^(?:docs|decisions)\/.*\.md$|^(?:README|CONTRIBUTING|app\/README|bench\/README|test\/.*README)\.md$/;
const CODE = /^(?!docs\/).*\.(?:tsx?|m?js|sql)$/;

test('every relative link in the documentation leads to a file and heading that exist', async () => {
  const pages = projectFiles().filter((file) => PAGE.test(file));
  expect(pages.length).toBeGreaterThan(60);
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  const broken: string[] = [];
  for (const page of pages) {
    const prose = (await read(join(root, page))).replaceAll(/^```.*?^```/gms, '');
    for (const [, path = '', fragment] of prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = path === '' ? join(root, page) : join(root, dirname(page), path);
      const exists = await stat(target).then(
        () => true,
        () => false,
      );
      const headings = fragment === undefined || !exists ? [] : ((await read(target)).match(/(?<=^#+ ).*$/gm) ?? []);
      if (!exists || (fragment !== undefined && !headings.map(anchor).includes(fragment)))
        broken.push(`${page}: ${path}#${fragment ?? ''}`);
    }
  }
  expect(broken).toEqual([]);
});

/** The numbers that files cite: all those in the first group of `pattern`. */
async function citedNumbers(files: readonly string[], pattern: RegExp): Promise<{ file: string; number: string }[]> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await read(join(root, file)) })));
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].flatMap(([, numbers = '']) =>
      (numbers.match(/\d+/g) ?? []).map((number) => ({ file, number })),
    ),
  );
}

test('every decision that is cited exists, and decisions/README.md lists each of them', async () => {
  const files = projectFiles().filter((file) => CODE.test(file) || PAGE.test(file));
  const records = await readdir(join(root, 'decisions'));
  const cited = await citedNumbers(files, /\b[Dd]ecisions?,? \[?((?:\d{4}(?:, | and )?)+)/g);
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ number }) => !records.some((name) => name.startsWith(`${number}-`)))).toEqual([]);
  const index = await read(join(root, 'decisions', 'README.md'));
  const listed = [...index.matchAll(/^\| \[\d{4}\]\((.*?)\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(records.filter((name) => name !== 'README.md').toSorted());
});

test('decisions/0001-libraries.md names every dependency of the service', async () => {
  const page = await read(join(root, 'decisions', '0001-libraries.md'));
  const names = Object.keys(packageFile.dependencies).map((name) => name.replace(/^@opentelemetry\/(?!api)/, ''));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every section of the contract that a comment cites exists', async () => {
  const files = projectFiles().filter((file) => CODE.test(file) && !file.startsWith('migrations/'));
  const cited = await citedNumbers(files, /\b[Cc]ontract, sections? ((?:\d+(?:, | and )?)+)/g);
  expect(cited.length).toBeGreaterThan(20);
  const contract = await read(join(root, 'docs', 'contract.md'));
  const sections = new Set([...contract.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number));
  expect(cited.filter(({ number }) => !sections.has(number))).toEqual([]);
});

test('docs/operations.md lists every setting', async () => {
  const page = await read(join(root, 'docs', 'operations.md'));
  const config = await readFile(join(root, 'server', 'config', 'environment.ts'), 'utf8');
  const names = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
  expect(names).toContain('DATABASE_URL');
  for (const name of names) expect(page).toMatch(new RegExp(`^\\|.*\`${name}\``, 'm'));
});

test('no installed package has a known vulnerability', async () => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const minimumVersions: Record<string, string> = {
    '@trpc/server': '11.8.0',
    koa: '3.1.2',
    '@mikro-orm/core': '7.1.7',
    '@mikro-orm/sql': '7.1.7',
    kysely: '0.28.17',
    'sanitize-html': '2.17.4',
  };
  const items = Object.entries(lock.packages).flatMap(([path, { version }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return version !== undefined && Object.hasOwn(minimumVersions, name) ? [{ name, version }] : [];
  });
  expect(new Set(items.map(({ name }) => name))).toEqual(new Set(Object.keys(minimumVersions)));
  for (const { name, version } of items) {
    const order = version.localeCompare(minimumVersions[name] ?? '', 'en', { numeric: true });
    expect({ name, version, order: order >= 0 }).toEqual({ name, version, order: true });
  }
});
