import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, say as sayWith, start as startWith, stop } from './support/process.ts';
import type { Started } from './support/process.ts';

// On an embedded database in a folder of its own.
let folder: string;
const given = (extra: Record<string, string> = {}) => ({ DATA_DIR: join(folder, 'data'), ...extra });
const start = () => startWith(given());
const say = (script: string, args: string[], extra?: Record<string, string>) => sayWith(script, args, given(extra));

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

  test('the command line verifies the trail, and fails when it is not what it was', async () => {
    const company = ['--company', '1'];
    const verified = await manage('audit', 'verify', ...company);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const { intact, head } = JSON.parse(verified.stdout) as { intact: boolean; head: { hash: string } };
    expect(intact).toBe(true);
    expect(await manage('audit', 'verify', ...company, '--head', head.hash)).toMatchObject({ code: 0, stderr: '' });
    const broken = await manage('audit', 'verify', ...company, '--head', '0'.repeat(64));
    expect(broken).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(broken.stdout)).toMatchObject({
      intact: false,
      reason: expect.stringMatching(/^head: 0+ is not in/),
    });
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
    expect(service.output).toContain('/docs');
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
    await expect.poll(() => clients.answered, { timeout: 10_000 }).toBeGreaterThan(100);
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
    ['RATE_LIMIT_PER_MINUTE', 'many'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['SECRET_SCANNING_KEYS_URL', 'http://api.github.com/meta/public_keys/secret_scanning'],
  ] as const)('%s=%s', async ([name, value]) => {
    const said = await say('server/main.ts', [], { [name]: value, DATA_DIR: join(folder, 'bad') });
    expect(said).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${name}: [^\\n]+\\n$`)),
    });
  });
});
