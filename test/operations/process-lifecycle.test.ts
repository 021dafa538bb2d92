import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  execFileAsync,
  runProgram as sayWith,
  startServiceProcess as startWith,
  stopServiceProcess,
} from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';

// On an embedded database in a folder of its own.
let folder: string;
const serviceSettings = (extra: Record<string, string> = {}) => ({ DATA_DIR: join(folder, 'data'), ...extra });
const startServer = () => startWith(serviceSettings());
const runProgram = (script: string, args: string[], extra?: Record<string, string>) =>
  sayWith(script, args, serviceSettings(extra));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('on an empty folder', () => {
  let service: ServiceProcess;
  let key: string;
  beforeAll(async () => {
    service = await startServer();
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  });
  afterAll(() => stopServiceProcess(service));

  const vendors = (rawKey = key) =>
    fetch(`${service.url}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': rawKey } });
  const manage = (...args: string[]) => runProgram('cli/manage.ts', [...args, '--server', service.url]);

  test('the first start prints the key once, with a curl line that works when pasted', async () => {
    expect(service.output.match(/svc_sk_live_/g)).toHaveLength(2);
    const line = /^ *(curl .*)$/m.exec(service.output)?.[1] ?? '';
    expect(line).toContain(key);
    const { stdout } = await execFileAsync('bash', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Review access rights', version: 1 });
  });

  test('stdout holds JSON log lines only; the text for people is on stderr', async () => {
    await vendors();
    await expect.poll(() => service.stdout, { timeout: 10_000 }).toContain('"/external/smart-inventory/vendor/list"');
    for (const line of service.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    for (const text of ['Listening on', '/docs', 'npm run manage', key]) expect(service.stderr).toContain(text);
  });

  test('the operator’s token and all that is beside it are there for their owner alone', async () => {
    const file = join(folder, 'data', 'operator-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect((await readFile(file, 'utf8')).length).toBeGreaterThanOrEqual(32);
  });

  test('a second process says who has the folder, and stops', async () => {
    const second = await runProgram('server/main.js', []);
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
        await runProgram('cli/manage.ts', ['company', 'list', '--server', 'http://127.0.0.1:1']),
        'no server at http://127.0.0.1:1; use --server or PORT',
      ],
      [
        await runProgram('cli/manage.ts', ['company', 'list'], { DATA_DIR: join(folder, 'none') }),
        `OPERATOR_TOKEN is not set and ${join(folder, 'none', 'operator-token')} does not exist`,
      ],
      [
        await runProgram('cli/manage.ts', ['company', 'list', '--server', service.url], {
          OPERATOR_TOKEN: 'x'.repeat(32),
        }),
        'Authorization: not the operator token',
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
    await stopServiceProcess(service, 'SIGKILL');
    service = await startServer();
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
    const exit = stopServiceProcess(service);
    clients.stopped = true;
    await all;
    expect(await exit).toBe(0);
    service = await startServer();
  });
});

describe('SIGTERM', () => {
  let service: ServiceProcess;
  let key = '';
  beforeEach(async () => {
    service = await startWith(serviceSettings({ DATA_DIR: join(folder, 'ended') }));
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? key;
  });
  afterEach(() => stopServiceProcess(service, 'SIGKILL'));

  /** How a request ends: its status, that nobody listens, or how it is broken. */
  function endOf(path: string, agent: Agent): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const broken = ({ code, syscall }: NodeJS.ErrnoException) => resolve(syscall === 'connect' ? 'refused' : `${code}`);
    const options = { agent, headers: { 'X-API-Key': key } };
    request(`${service.url}${path}`, options, (answer) => {
      answer.on('error', broken).on('end', () => resolve(String(answer.statusCode)));
      answer.resume();
    })
      .on('error', broken)
      .end();
    return promise;
  }

  test('under 200 clients breaks no request; it is not ready at once, and serves meanwhile', async () => {
    const ends = new Map<string, number>();
    const seen = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1);
    const client = async (keepAlive: boolean) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      for (let end = ''; end !== 'refused';) {
        end = await endOf('/external/smart-inventory/vendor/list', agent);
        seen(end);
      }
      agent.destroy();
    };
    const all = Promise.all(Array.from({ length: 200 }, (_, number) => client(number % 2 === 0)));
    await expect.poll(() => ends.get('200'), { timeout: 60_000 }).toBeGreaterThan(500);
    const began = performance.now();
    const exit = stopServiceProcess(service);
    const agent = new Agent();
    await expect.poll(() => endOf('/readyz', agent), { timeout: 5000, interval: 10 }).toBe('503');
    const served = ends.get('200');
    await expect.poll(() => ends.get('200'), { timeout: 5000, interval: 10 }).toBeGreaterThan(Number(served));
    expect(await exit).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    await all;
    expect([...ends.keys()].toSorted()).toEqual(['200', 'refused']);
  });

  test('answers those who stand in the queue of the kernel', async () => {
    service.child.kill('SIGSTOP');
    const agent = new Agent();
    const ends = Array.from({ length: 100 }, () => endOf('/healthz', agent));
    await wait(500);
    const exit = stopServiceProcess(service);
    service.child.kill('SIGCONT');
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['200']));
    expect(await exit).toBe(0);
  });

  test('again ends it at once', async () => {
    const path = '/external/smart-inventory/vendor/new';
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    // Which it waits for, longer than for anything else.
    socket.on('error', () => {}).write(`${head}Content-Length: 99\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    const gone = once(service.child, 'exit');
    const began = performance.now();
    service.child.kill('SIGTERM');
    await wait(1500);
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGTERM');
    expect(await gone).toEqual([1, null]);
    expect(performance.now() - began).toBeLessThan(6000);
    socket.destroy();
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
    const said = await runProgram('server/main.js', [], { [name]: value, DATA_DIR: join(folder, 'bad') });
    expect(said).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${name}: [^\\n]+\\n$`)),
    });
  });

  test('a port that is taken', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = String(typeof address === 'object' ? address?.port : 0);
    const said = await runProgram('server/main.js', [], { PORT: port, DATA_DIR: join(folder, 'ended') });
    server.close();
    expect(said).toMatchObject({ code: 1, stderr: expect.stringMatching(/^HOST, PORT: .*EADDRINUSE[^\n]*\n$/) });
  });

  test('a DATA_DIR that cannot be', async () => {
    const file = join(folder, 'ended', 'operator-token');
    const said = await runProgram('server/main.js', [], { DATA_DIR: file });
    expect(said).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^DATA_DIR: [^\n]+\n$/) });
  });
});
