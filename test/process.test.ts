import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

// The service as its users start it: real processes on an embedded database in a folder of their own.
const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
let folder: string;

const environment = (extra: Record<string, string> = {}) => {
  const { DATABASE_URL: _, OPERATOR_TOKEN: __, ...rest } = process.env;
  return { ...rest, DATA_DIR: join(folder, 'data'), PORT: '0', ...extra };
};

interface Started {
  child: ChildProcess;
  output: string;
  url: string;
}

/** Starts the service and waits until it listens. */
async function start(extra: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, ['server/main.ts'], { cwd: root, env: environment(extra) });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  await vi.waitUntil(() => output.includes('Manage') || child.exitCode !== null, { timeout: 30_000 });
  return { child, output, url: /http:\/\/\S+/.exec(output)?.[0] ?? '' };
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function stop({ child }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  child.kill(signal);
  return ended(child);
}

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of ours to its end. */
async function say(script: string, args: string[], extra: Record<string, string> = {}): Promise<Said> {
  try {
    return { code: 0, ...(await run(process.execPath, [script, ...args], { cwd: root, env: environment(extra) })) };
  } catch (error) {
    return error as Said;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('on an empty folder', () => {
  let service: Started;
  let key: string;
  beforeAll(async () => {
    service = await start();
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  });
  afterAll(() => stop(service));

  const vendors = (rawKey = key) =>
    fetch(`${service.url}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': rawKey } });
  const manage = (...args: string[]) => say('server/manage.ts', [...args, '--server', service.url]);

  test('the first start prints the key once, with a curl line that works when pasted', async () => {
    expect(service.output.match(/svc_sk_live_/g)).toHaveLength(2);
    const line = /^ *(curl .*)$/m.exec(service.output)?.[1] ?? '';
    expect(line).toContain(key);
    const { stdout } = await run('bash', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Review access rights', version: 1 });
  });

  test('the operator’s token is there for its owner alone', async () => {
    const file = join(folder, 'data', 'operator-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).length).toBeGreaterThanOrEqual(32);
  });

  test('a second process says who has the folder, and stops', async () => {
    const second = await say('server/main.ts', []);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toBe(`DATA_DIR: ${join(folder, 'data')} is in use by process ${service.child.pid}\n`);
    expect((await vendors()).status).toBe(200);
  });

  test('the command line manages the running server', async () => {
    const made = await manage('company', 'create', '--name', 'Acme');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(made.stdout) as { id: number };
    const needed = await manage('framework', 'list');
    expect(needed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^--company <id> is needed: 1 Demo, \d+ Acme\n$/),
    });
    const created = await manage('api-key', 'create', '--name', 'Sync', '--company', String(id));
    const record = JSON.parse(created.stdout) as { key: string; uniqueId: string };
    expect((await vendors(record.key)).status).toBe(200);
    const disabled = await manage(
      'api-key',
      'update',
      '--company',
      String(id),
      '--unique-id',
      record.uniqueId,
      '--enabled',
      'false',
    );
    expect(JSON.parse(disabled.stdout)).toMatchObject({ enabled: false });
    expect((await vendors(record.key)).status).toBe(401);
    const expiring = await manage(
      'api-key',
      'update',
      '--company',
      String(id),
      '--unique-id',
      record.uniqueId,
      '--expires-at',
      '2999-01-01T00:00:00Z',
    );
    expect(JSON.parse(expiring.stdout)).toMatchObject({ expiresAt: '2999-01-01T00:00:00.000Z' });
    const trail = await manage('audit', 'list', '--company', String(id), '--resource-type', 'apiKey', '--limit', '1');
    expect(JSON.parse(trail.stdout)).toMatchObject({
      items: [{ action: 'apiKey.update', actor: { name: 'Operator' }, changes: { expiresAt: { from: null } } }],
      nextCursor: expect.any(String),
    });
    const refused = await manage('framework', 'archive', '--company', String(id), '--id', '2147483647');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: 'id: not found\n' });
  });

  test.for([[], ['api-key'], ['api-key', 'create'], ['framework', 'rename']])('--help tells of %o', async (command) => {
    const help = await manage(...command, '--help');
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: npm run manage --/) });
    expect(help.stdout).not.toContain('{"');
  });

  test('a command that cannot work says why in one line', async () => {
    const cases = [
      [
        await say('server/manage.ts', ['company', 'list', '--server', 'http://127.0.0.1:1']),
        'no server at http://127.0.0.1:1',
      ],
      [
        await say('server/manage.ts', ['company', 'list'], { DATA_DIR: join(folder, 'none') }),
        `OPERATOR_TOKEN is not set and ${join(folder, 'none', 'operator-token')} does not exist`,
      ],
      [
        await say('server/manage.ts', ['company', 'list', '--server', service.url], { OPERATOR_TOKEN: 'x'.repeat(32) }),
        'Authorization: not the operator’s token',
      ],
    ] as const;
    for (const [said, line] of cases) expect(said).toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` });
  });

  test('a holder that is killed leaves data and a folder that the next start takes', async () => {
    await fetch(`${service.url}/external/smart-inventory/vendor/new`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Before the crash' }),
    });
    await stop(service, 'SIGKILL');
    service = await start();
    expect(service.output).not.toContain('svc_sk_live_');
    expect(service.output).toContain('openapi.json');
    expect(await (await vendors()).json()).toMatchObject([{ name: 'Before the crash' }]);
  });

  test('SIGTERM answers what is in flight and exits with 0', async () => {
    const clients = { answered: 0, stopped: false };
    const ask = async () => {
      while (!clients.stopped) {
        const answer = await vendors();
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
        clients.answered += 1;
      }
    };
    const all = Promise.all(Array.from({ length: 20 }, ask));
    await expect.poll(() => clients.answered).toBeGreaterThan(100);
    const exit = stop(service);
    clients.stopped = true;
    await all;
    expect(await exit).toBe(0);
    service = await start();
  });
});

describe('a bad setting stops the start with one line that names it:', () => {
  test.for([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['OPERATOR_TOKEN', 'short'],
    ['DATABASE_URL', 'mysql://root@127.0.0.1/x'],
    ['DATABASE_URL', 'postgresql://nobody@127.0.0.1:1/nowhere'],
    ['LOG_LEVEL', 'loud'],
  ] as const)('%s=%s', async ([name, value]) => {
    const said = await say('server/main.ts', [], { [name]: value, DATA_DIR: join(folder, 'bad') });
    expect(said).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${name}: [^\\n]+\\n$`)),
    });
  });
});
