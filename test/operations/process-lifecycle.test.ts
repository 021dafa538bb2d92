import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { loadSettings } from '../../server/config/settings.ts';
import { openDatabase } from '../../server/process/database.ts';
import { startService } from '../../server/process/service.ts';
import { createLog } from '../../server/telemetry/log.ts';
import {
  execFileAsync,
  runProgram as runProgramWith,
  startServiceProcess,
  stopServiceProcess,
} from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { listen } from '../support/http/listen.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

// Uses an embedded database in a separate directory.
const folder = await temporaryFolder();
const serviceSettings = (extra: Record<string, string> = {}) => ({ DATA_DIR: join(folder, 'data'), ...extra });
const startServer = () => startServiceProcess(serviceSettings());
const runProgram = (script: string, args: string[], extra?: Record<string, string>) =>
  runProgramWith(script, args, serviceSettings(extra));

/** The start waits for 30 s, so it runs beside the tests before that of its result. */
const unreachable = { startedAt: performance.now(), ended: runUnreachable() };

async function runUnreachable() {
  const settings = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nowhere', DATA_DIR: join(folder, 'unreachable') };
  const result = await runProgram('server/main.js', [], settings);
  return { ...result, endedAt: performance.now() };
}

describe('on an empty DATA_DIR', () => {
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

  test('the first start prints the link with which the admin sets a password, only on stderr', () => {
    const { port } = new URL(service.url);
    expect(service.stderr).toMatch(new RegExp(`^  http://localhost:${port}/invitation/[\\w-]{43}$`, 'm'));
    expect(service.stdout).not.toContain('/invitation/');
  });

  test('stdout contains JSON log lines only; the startup message is on stderr', async () => {
    await vendors();
    await expect.poll(() => service.stdout, { timeout: 120_000 }).toContain('"/external/smart-inventory/vendor/list"');
    for (const line of service.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    for (const text of ['Listening on', '/docs', 'npx --no compliance', key]) expect(service.stderr).toContain(text);
  });

  test('only the owner can read the operator token and DATA_DIR', async () => {
    const file = join(folder, 'data', 'operator-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect((await readFile(file, 'utf8')).length).toBeGreaterThanOrEqual(32);
  });

  test('a second process reports the process that uses DATA_DIR, and stops', async () => {
    const second = await runProgram('server/main.js', []);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toBe(`DATA_DIR: ${join(folder, 'data')} is in use by process ${service.child.pid}\n`);
    expect((await vendors()).status).toBe(200);
  });

  test('the command line manages the running server', async () => {
    const company = await manage('company', 'create', '--name', 'Acme');
    expect(company).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(company.stdout) as { id: number };
    const ambiguous = await manage('framework', 'list');
    expect(ambiguous).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^--company: expected one of 1 Demo, \d+ Acme\n$/),
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
    const events = await manage('audit', 'list', '--company', String(id), '--resource-type', 'apiKey', '--limit', '1');
    expect(JSON.parse(events.stdout)).toMatchObject({
      items: [{ action: 'apiKey.update', actor: { name: 'Operator' }, changes: { expiresAt: { from: null } } }],
      nextCursor: expect.any(String),
    });
    const notFound = await manage('framework', 'archive', '--company', String(id), '--id', '2147483647');
    expect(notFound).toMatchObject({ code: 1, stdout: '', stderr: 'id: not found\n' });
  });

  test('the command line verifies the audit log, and fails if it does not match', async () => {
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

  test.for([[], ['api-key'], ['api-key', 'create'], ['framework', 'rename']])(
    '--help describes %o',
    async (command) => {
      const help = await manage(...command, '--help');
      expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: npx --no compliance/) });
      expect(help.stdout).not.toContain('{"');
    },
  );

  test('a failed command reports the reason in one line', async () => {
    const cases = [
      [
        await runProgram('cli/manage.ts', ['company', 'list', '--server', 'http://127.0.0.1:1']),
        'no server at http://127.0.0.1:1; use --server or PORT',
      ],
      [
        await runProgram('cli/manage.ts', ['company', 'list'], { DATA_DIR: join(folder, 'none') }),
        `OPERATOR_TOKEN: expected a value, because ${join(folder, 'none', 'operator-token')} does not exist`,
      ],
      [
        await runProgram('cli/manage.ts', ['company', 'list', '--server', service.url], {
          OPERATOR_TOKEN: 'x'.repeat(32),
        }),
        `OPERATOR_TOKEN: ${service.url} does not accept this operator token; set OPERATOR_TOKEN to its own`,
      ],
    ] as const;
    for (const [result, line] of cases) expect(result).toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` });
  });

  test('the next start after a kill reads the same data', async () => {
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

  test('SIGTERM completes requests in flight, writes how often the key was used, and exits with 0', async () => {
    const clients = { completed: 0, stopped: false };
    const sendRequests = async () => {
      while (!clients.stopped) {
        const response = await vendors();
        expect(response.status).toBe(200);
        await response.arrayBuffer();
        clients.completed += 1;
      }
    };
    const all = Promise.all(Array.from({ length: 20 }, sendRequests));
    await expect.poll(() => clients.completed, { timeout: 120_000 }).toBeGreaterThan(100);
    const exit = stopServiceProcess(service);
    clients.stopped = true;
    await all;
    expect(await exit).toBe(0);
    service = await startServer();
    const ownKey = await fetch(`${service.url}/external/api-key/whoami`, { headers: { 'X-API-Key': key } });
    const { uniqueId } = (await ownKey.json()) as { uniqueId: string };
    const { stdout } = await manage('api-key', 'usage', '--company', '1', '--unique-id', uniqueId);
    const days = JSON.parse(stdout) as { requests: number }[];
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(clients.completed);
  });
});

describe('SIGTERM', () => {
  let service: ServiceProcess;
  let key = '';
  beforeEach(async () => {
    service = await startServiceProcess(serviceSettings({ DATA_DIR: join(folder, 'ended') }));
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? key;
  });
  afterEach(() => stopServiceProcess(service, 'SIGKILL'));

  /**
   * Returns the status of a request with the body of an error, `unreachable` if nothing listens, or the error code of a broken
   * connection. A busy machine makes the service reject requests, with or without a shutdown: `shed`.
   */
  function resultOf(path: string, agent: Agent): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const broken = ({ code, syscall }: NodeJS.ErrnoException) =>
      resolve(syscall === 'connect' ? 'unreachable' : `${code}`);
    const options = { agent, headers: { 'X-API-Key': key } };
    request(`${service.url}${path}`, options, (response) => {
      let body = '';
      response.on('error', broken).on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => {
        if (response.statusCode === 200) resolve('200');
        else if (isRejectedForLoad(response, body)) resolve('shed');
        else resolve(`${response.statusCode} ${body}`);
      });
    })
      .on('error', broken)
      .end();
    return promise;
  }

  const isRejectedForLoad = ({ statusCode, headers }: IncomingMessage, body: string) =>
    statusCode === 503 &&
    headers['retry-after'] !== undefined &&
    /The (?:service is overloaded|database is busy)/.test(body);

  test('breaks no request of 200 clients: /readyz responds 503 at once while requests are served', async () => {
    const results = new Map<string, number>();
    const count = (result: string) => results.set(result, (results.get(result) ?? 0) + 1);
    const client = async (keepAlive: boolean) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      for (let result = ''; result !== 'unreachable';) {
        result = await resultOf('/external/smart-inventory/vendor/list', agent);
        count(result);
      }
      agent.destroy();
    };
    const all = Promise.all(Array.from({ length: 200 }, (_, number) => client(number % 2 === 0)));
    await expect.poll(() => results.get('200'), { timeout: 60_000 }).toBeGreaterThan(500);
    const startedAt = performance.now();
    const exit = stopServiceProcess(service);
    const agent = new Agent();
    await expect.poll(() => resultOf('/readyz', agent), { timeout: 5000, interval: 10 }).toMatch(/^503 /);
    const served = results.get('200');
    await expect.poll(() => results.get('200'), { timeout: 5000, interval: 10 }).toBeGreaterThan(Number(served));
    expect(await exit).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await all;
    results.delete('shed');
    expect([...results.keys()].toSorted()).toEqual(['200', 'unreachable']);
  });

  test('serves connections that wait in the listen backlog', async () => {
    service.child.kill('SIGSTOP');
    const agent = new Agent();
    const results = Array.from({ length: 100 }, () => resultOf('/healthz', agent));
    await wait(500);
    const exit = stopServiceProcess(service);
    service.child.kill('SIGCONT');
    expect(new Set(await Promise.all(results))).toEqual(new Set(['200']));
    expect(await exit).toBe(0);
  });

  test('a second time ends the process at once', async () => {
    const path = '/external/smart-inventory/vendor/new';
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    // A request with an incomplete body, which delays the shutdown for the whole grace period.
    socket.on('error', () => {}).write(`${head}Content-Length: 99\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    const exited = once(service.child, 'exit');
    const startedAt = performance.now();
    service.child.kill('SIGTERM');
    await wait(1500);
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGTERM');
    expect(await exited).toEqual([1, null]);
    expect(performance.now() - startedAt).toBeLessThan(6000);
    socket.destroy();
  });
});

describe('an invalid setting stops the start with one line that names it:', () => {
  test.for([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['OPERATOR_TOKEN', 'short'],
    ['DATABASE_URL', 'mysql://root@127.0.0.1/x'],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMIT_PER_MINUTE', 'many'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['SECRET_SCANNING_KEYS_URL', 'http://api.github.com/meta/public_keys/secret_scanning'],
  ] as const)('%s=%s', async ([name, value]) => {
    const result = await runProgram('server/main.js', [], { [name]: value, DATA_DIR: join(folder, 'bad') });
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${name}: [^\\n]+\\n$`)),
    });
  });

  test('a database that is unreachable for 30 s', async () => {
    const result = await unreachable.ended;
    expect(result).toMatchObject({ code: 1, stderr: 'DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1\n' });
    expect(result.stdout).toMatch(/^\{.*"database: unreachable, it is tried again"\}\n$/);
    expect(result.endedAt - unreachable.startedAt).toBeGreaterThan(29_000);
  });

  test('a port in use', async () => {
    const { port, stop } = await listen(createServer());
    const result = await runProgram('server/main.js', [], { PORT: String(port), DATA_DIR: join(folder, 'ended') });
    stop();
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^HOST, PORT: .*EADDRINUSE[^\n]*\n$/) });
  });

  test('a port in use, after which the database is closed and DATA_DIR is unlocked', async () => {
    const { port, stop } = await listen(createServer());
    const settings = loadSettings(serviceSettings({ DATA_DIR: join(folder, 'failed'), PORT: String(port) }));
    const log = createLog('silent');
    const close = vi.spyOn(Database.prototype, 'close');
    onTestFinished(() => close.mockRestore());
    await expect(startService(settings, log)).rejects.toThrow(/^HOST, PORT: .*EADDRINUSE/);
    expect(close).toHaveBeenCalledOnce();
    stop();
    await using stack = new AsyncDisposableStack();
    const { database } = await openDatabase(settings, { log }, stack);
    // The process has ended its record, for which it needs the database, before it closed it.
    expect(await database.query('test.processes', 'select from service_process', [])).toEqual([]);
  });

  test('a DATA_DIR that is a file', async () => {
    const file = join(folder, 'ended', 'operator-token');
    const result = await runProgram('server/main.js', [], { DATA_DIR: file });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^DATA_DIR: [^\n]+\n$/) });
  });
});
