import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { createApp } from '../../server/app.ts';
import { HttpServer } from '../../server/http/server.ts';
import { observeRequests, logRequests } from '../../server/telemetry/request-observer.ts';
import { redactor } from '../../server/telemetry/redact.ts';
import { openTestRateLimits } from '../support/http/app.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { database } from '../support/database/database.ts';

const root = join(import.meta.dirname, '../..');

/** Runs a program with a separate log and returns the lines on stdout. */
async function runLogProgram(program: string): Promise<string[]> {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';\n${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trim().split('\n');
}

/** Runs a program with a separate log until it exits. Returns its exit code. @param use changes what happens to its output */
async function exitCodeOf(program: string, use: (child: { stdout: Readable }) => void = () => {}): Promise<unknown> {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';\n${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  use(child);
  const late = setTimeout(() => child.kill('SIGKILL'), 40_000);
  const [code]: unknown[] = await once(child, 'exit');
  clearTimeout(late);
  return code;
}

test('no log line contains a raw key, whatever field contains it', async () => {
  const key = generateRawKey();
  const lines = await runLogProgram(`
    const log = createLog('trace');
    log.info('with ${key} in the message');
    log.error({ err: new Error('${key}', { cause: new Error('caused by ${key}') }), headers: { 'x-api-key': '${key}' } });
    log.trace({ deep: { '${key}': ['${key}${key}'] } });`);
  expect(lines).toHaveLength(3);
  const all = lines.join('\n');
  expect(all).not.toContain(key.slice(0, 20));
  expect(all.match(/svc_sk_live_\[redacted\]/g)?.length).toBeGreaterThan(4);
});

describe('no log line contains', () => {
  const secret = 'S3cr3t-of-somebody';
  const redactLine = (line: unknown) => redactor()(JSON.stringify(line));

  test.for([
    [{ headers: { authorization: `Bearer ${secret}` } }],
    [{ headers: { Authorization: secret, 'X-API-Key': `not a key of ours ${secret}` } }],
    [{ rawHeaders: ['Accept', '*/*', 'X-Api-Key', secret, 'authorization', `Basic ${secret}`] }],
    [{ headers: { 'x-api-key': [secret] } }],
    [{ headers: { referer: `http://intranet.example:3000/reset/${secret}` } }],
    [{ rawHeaders: ['Accept', '*/*', 'Referer', `http://intranet.example:3000/tasks?q=${secret}`] }],
    [{ body: JSON.stringify({ headers: { 'X-API-Key': secret } }) }],
    [{ msg: `sent Authorization: Bearer ${secret} and got 401` }],
    [{ err: { message: `connecting to postgresql://compliance:${secret}@db.internal:5432/compliance failed` } }],
    [{ url: `rediss://:${secret}@redis.internal` }],
    [{ url: `postgres://u:${secret}@${secret}@127.0.0.1/x` }],
    [{ url: `postgres://u@127.0.0.1/x?sslmode=require&password=${secret}` }],
  ])('a credential in %o', ([line]) => {
    const redacted = redactLine(line);
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[redacted]');
    expect(JSON.parse(redacted)).toBeTypeOf('object');
  });

  test('a secret of a webhook endpoint, also a part of it, in any encoding', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const secrets = [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      encodeURIComponent(bytes.toString('base64')),
    ];
    for (const text of [...secrets, ...secrets.map((whole) => whole.slice(0, 9))])
      expect(redactLine({ msg: `signed with whsec_${text}.`, list: [`whsec_${text}`] })).toBe(
        '{"msg":"signed with whsec_[redacted].","list":["whsec_[redacted]"]}',
      );
  });

  test('the operator token, which is redacted by its value', async () => {
    const [line = ''] = await runLogProgram(
      `createLog('info', ['${OPERATOR_TOKEN}']).info({ deep: ['x${OPERATOR_TOKEN}y'] });`,
    );
    expect(line).not.toContain(OPERATOR_TOKEN);
    expect(JSON.parse(line)).toMatchObject({ deep: ['x[redacted]y'] });
  });

  test('row data that PostgreSQL quotes in an error', async () => {
    const lines = await runLogProgram(`
      const err = Object.assign(new Error('violates a check'), { code: '23514', detail: 'Failing row contains (1, Body).', where: 'Body' });
      createLog('info').error({ err: new Error('request failed', { cause: err }) });
      createLog('info').error({ err });
      createLog('info').error({ err: new AggregateError([err], 'several') });
      createLog('info').error({ err: Object.assign(new Error('outer'), { previous: err }) });`);
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).not.toContain('Body');
      expect(line).toContain('violates a check');
      expect(line).toContain('at ');
    }
  });
});

test('text without a secret is unchanged', () => {
  const lines = [
    { route: '/external/task/{taskUniqueId}/item', url: 'http://127.0.0.1:3000/docs', at: '2026-11-21T12:00:00Z' },
    { msg: 'url: expected https, not whsec_', prefix: 'whsec_' },
    { msg: 'bearer', keys: ['authorization'], name: 'https://[::1]:3000/a@b' },
  ];
  for (const line of lines) expect(redactor(['x'.repeat(32)])(JSON.stringify(line))).toBe(JSON.stringify(line));
});

test('no line is lost or truncated when the process stops', async () => {
  const lines = await runLogProgram(`
    const log = createLog('info');
    for (let line = 0; line < 20000; line++) log.info({ line }, 'x'.repeat(200));
    await flushLog(log);
    process.exit(0);`);
  expect(lines).toHaveLength(20_000);
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(lines.map((_, index) => index));
});

test('a stopping process does not wait for a reader that does not read its lines', async () => {
  const code = await exitCodeOf(`
    const log = createLog('info');
    process.stdout.write('started');
    for (let line = 0; line < 10000; line++) log.info({ line }, 'x'.repeat(200));
    await flushLog(log);
    process.exit(0);`);
  expect(code).toBe(0);
});

test('the process continues if the reader of its log closes the pipe', async () => {
  const program = `
    const log = createLog('info');
    for (let round = 0; round < 10; round++) {
      for (let line = 0; line < 1000; line++) log.info({ line }, 'x'.repeat(200));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await flushLog(log);
    process.exit(0);`;
  expect(await exitCodeOf(program, ({ stdout }) => stdout.once('data', () => stdout.destroy()))).toBe(0);
});

test('a database error is logged without a stack, and an internal error with one', async () => {
  const lines = await runLogProgram(`
    import { ApiError } from './entities/api-error.ts';
    import { noteError } from './server/http/error-handler.ts';
    const log = createLog('info');
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    noteError(log, { requestId: 'one' }, new ApiError('unavailable', 'Try again shortly.', { cause }));
    noteError(log, { requestId: 'two' }, new ApiError('internal', 'Something went wrong.', { cause }));
    await flushLog(log);`);
  const [unavailable, internal] = lines.map((line) => JSON.parse(line) as { err: object });
  expect(unavailable).toMatchObject({ level: 40, requestId: 'one' });
  expect(unavailable?.err).toEqual({ type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' });
  expect(internal).toMatchObject({ level: 50, requestId: 'two', err: { stack: expect.stringContaining('at ') } });
});

describe('the request log', () => {
  let stop = async () => {};
  afterEach(() => stop());

  /** Starts a server and returns its log lines. */
  async function startLoggingServer(options: Parameters<typeof createApp>[3] = {}) {
    const lines: string[] = [];
    const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
    const server = new HttpServer(createApp(database, OPERATOR_TOKEN, log, options).callback());
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    stop = () => server.stop(0);
    const send = async (path: string, init?: RequestInit) => {
      const before = lines.length;
      const response = await fetch(`${url}${path}`, init);
      await response.arrayBuffer();
      await expect.poll(() => lines.length).toBe(before + 1);
      return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    };
    return { send, lines, url };
  }

  test('has one line per request, with the key, the route and the status', async () => {
    const acme = await createCompany();
    const { send } = await startLoggingServer();
    const headers = { 'X-API-Key': acme.key, 'X-Request-Id': 'a-request' };
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud' });
    const line = await send(`/external/smart-inventory/vendor/${uniqueId}/item?asOf=2026-01-01T00:00:00Z`, { headers });
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      requestId: 'a-request',
      key: acme.apiKey.uniqueId,
      company: acme.id,
      method: 'GET',
      route: '/external/smart-inventory/vendor/{vendor}/item',
      status: 404,
      duration: expect.any(Number),
      msg: 'request',
    });
  });

  test('contains the path pattern on every transport, and never an id or a secret', async () => {
    const acme = await createCompany();
    const { send, lines } = await startLoggingServer({ securityContact: 'mailto:security@example.com' });
    const headers = { 'X-API-Key': acme.key };
    const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    const body = JSON.stringify({ name: 'Of the body', description: 'Of the body' });
    const json = { ...headers, 'Content-Type': 'application/json' };
    const requests = [
      await send('/external/smart-inventory/vendor/new', { method: 'POST', headers: json, body }),
      await send('/external/audit/list', { headers: { ...headers, Accept: 'application/x-ndjson' } }),
      await send('/external/smart-inventory/vendor/list', { headers: { 'X-API-Key': generateRawKey() } }),
      await send(`/external/${acme.key}`, { headers }),
      await send('/trpc/vendor.list', { headers }),
      await send('/trpc/vendor.list,vendor.list?batch=1&input={}', { headers }),
      await send(`/trpc/${acme.key}`, { headers }),
      await send('/trpc/management.company.list', { headers: operator }),
      await send('/healthz'),
      await send('/.well-known/security.txt'),
      await send(`/somewhere?key=${acme.key}`),
    ];
    expect(requests.map(({ route, status, key, company: id }) => [route, status, key !== null, id])).toEqual([
      ['/external/smart-inventory/vendor/new', 201, true, acme.id],
      ['/external/audit/list', 200, true, acme.id],
      ['/external', 401, false, null],
      ['/external', 404, true, acme.id],
      ['/trpc/vendor.list', 200, true, acme.id],
      ['/trpc/{procedures}', 200, true, acme.id],
      ['/trpc/{procedures}', 404, true, acme.id],
      ['/trpc/management.company.list', 200, false, null],
      ['/healthz', 200, false, null],
      ['/.well-known/security.txt', 200, false, null],
      [null, 404, false, null],
    ]);
    const all = lines.join('');
    for (const secret of [acme.key.slice(0, 20), OPERATOR_TOKEN, 'Of the body']) expect(all).not.toContain(secret);
  });

  test('contains the key of a rate-limited request', async () => {
    const acme = await createCompany();
    const limits = await openTestRateLimits(1);
    const { send } = await startLoggingServer({ rateLimits: limits });
    const headers = { 'X-API-Key': acme.key };
    const path = '/external/smart-inventory/vendor/list';
    expect(await send(path, { headers })).toMatchObject({ status: 200 });
    expect(await send(path, { headers })).toMatchObject({ status: 429, key: acme.apiKey.uniqueId, route: path });
  });

  test('marks a request as aborted if the client disconnects', async () => {
    const acme = await createCompany();
    const { url, lines } = await startLoggingServer();
    const headers = { 'X-API-Key': acme.key, 'Content-Type': 'application/json' };
    const sent = request(`${url}/external/smart-inventory/vendor/new`, { method: 'POST', headers });
    sent.on('error', () => {}).write('{"name":');
    setTimeout(() => sent.destroy(), 300);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line) as object), { timeout: 120_000 })
      .toMatchObject([{ aborted: true, route: '/external/smart-inventory/vendor/new' }]);
  });

  test('has no observer if the log level excludes its lines', () => {
    for (const level of ['silent', 'error', 'warn']) expect(logRequests(pino({ level }))).toEqual([]);
    expect(logRequests(pino({ level: 'info' }))).toHaveLength(1);
    expect(observeRequests([])).toBeTypeOf('function');
  });
});
