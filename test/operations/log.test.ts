import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
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

/** What a program of ours writes to stdout with a log of its own. */
async function runLogProgram(program: string): Promise<string[]> {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';\n${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trim().split('\n');
}

test('no raw key gets into a log line, wherever it stands in what is logged', async () => {
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

describe('no line shows', () => {
  const secret = 'S3cr3t-of-somebody';
  const shown = (line: unknown) => redactor()(JSON.stringify(line));

  test.for([
    [{ headers: { authorization: `Bearer ${secret}` } }],
    [{ headers: { Authorization: secret, 'X-API-Key': `not a key of ours ${secret}` } }],
    [{ rawHeaders: ['Accept', '*/*', 'X-Api-Key', secret, 'authorization', `Basic ${secret}`] }],
    [{ headers: { 'x-api-key': [secret] } }],
    [{ body: JSON.stringify({ headers: { 'X-API-Key': secret } }) }],
    [{ msg: `sent Authorization: Bearer ${secret}, and was refused` }],
    [{ err: { message: `connecting to postgresql://compliance:${secret}@db.internal:5432/compliance failed` } }],
    [{ url: `rediss://:${secret}@redis.internal` }],
    [{ url: `postgres://u:${secret}@${secret}@127.0.0.1/x` }],
    [{ url: `postgres://u@127.0.0.1/x?sslmode=require&password=${secret}` }],
  ])('a credential in %o', ([line]) => {
    const told = shown(line);
    expect(told).not.toContain(secret);
    expect(told).toContain('[redacted]');
    expect(JSON.parse(told)).toBeTypeOf('object');
  });

  test('the operator’s token, which is told by its text', async () => {
    const [line = ''] = await runLogProgram(
      `createLog('info', ['${OPERATOR_TOKEN}']).info({ deep: ['x${OPERATOR_TOKEN}y'] });`,
    );
    expect(line).not.toContain(OPERATOR_TOKEN);
    expect(JSON.parse(line)).toMatchObject({ deep: ['x[redacted]y'] });
  });

  test('what PostgreSQL quotes of a row', async () => {
    const [line = ''] = await runLogProgram(`
      const err = Object.assign(new Error('violates a check'), { code: '23514', detail: 'Failing row contains (1, Body).', where: 'Body' });
      createLog('info').error({ err: new Error('a request failed', { cause: err }) });
      createLog('info').error({ err });`);
    expect(line).not.toContain('Body');
    expect(line).toContain('violates a check');
  });
});

test('what is no secret stays as it was', () => {
  const lines = [
    { route: '/external/task/{taskUniqueId}/item', url: 'http://127.0.0.1:3000/docs', at: '2026-11-21T12:00:00Z' },
    { msg: 'bearer', keys: ['authorization'], name: 'https://[::1]:3000/a@b' },
  ];
  for (const line of lines) expect(redactor(['x'.repeat(32)])(JSON.stringify(line))).toBe(JSON.stringify(line));
});

test('no line is lost when the process stops, and none is cut', async () => {
  const lines = await runLogProgram(`
    const log = createLog('info');
    for (let line = 0; line < 20000; line++) log.info({ line }, 'x'.repeat(200));
    await flushLog(log);
    process.exit(0);`);
  expect(lines).toHaveLength(20_000);
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(lines.map((_, at) => at));
});

test('a process that stops waits for nobody who does not read its lines', async () => {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';
    const log = createLog('info');
    process.stdout.write('started');
    for (let line = 0; line < 10000; line++) log.info({ line }, 'x'.repeat(200));
    await flushLog(log);
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), 40_000);
  const [code]: unknown[] = await once(child, 'exit');
  clearTimeout(late);
  expect(code).toBe(0);
});

test('a reader that is gone stops nothing', async () => {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';
    const log = createLog('info');
    for (let round = 0; round < 10; round++) {
      for (let line = 0; line < 1000; line++) log.info({ line }, 'x'.repeat(200));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await flushLog(log);
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const late = setTimeout(() => child.kill('SIGKILL'), 40_000);
  const [code]: unknown[] = await once(child, 'exit');
  clearTimeout(late);
  expect(code).toBe(0);
});

test('why the database cannot be used is told without a stack, and what is our fault with one', async () => {
  const lines = await runLogProgram(`
    import { ApiError } from './entities/api-error.ts';
    import { logError } from './server/http/error-handler.ts';
    const log = createLog('info');
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    logError(log, 'one', new ApiError('unavailable', 'Try again shortly.', { cause }));
    logError(log, 'two', new ApiError('internal', 'Something went wrong.', { cause }));
    await flushLog(log);`);
  const [away, ours] = lines.map((line) => JSON.parse(line) as { err: object });
  expect(away).toMatchObject({ level: 40, requestId: 'one' });
  expect(away?.err).toEqual({ type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' });
  expect(ours).toMatchObject({ level: 50, requestId: 'two', err: { stack: expect.stringContaining('at ') } });
});

describe('of each request', () => {
  let stop = async () => {};
  afterEach(() => stop());

  /** Lines of a server of its own. */
  async function logged(options: Parameters<typeof createApp>[3] = {}) {
    const lines: string[] = [];
    const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
    const server = new HttpServer(createApp(database, OPERATOR_TOKEN, log, options).callback());
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    stop = () => server.stop();
    const ask = async (path: string, init?: RequestInit) => {
      const before = lines.length;
      const answer = await fetch(`${url}${path}`, init);
      await answer.arrayBuffer();
      await expect.poll(() => lines.length).toBe(before + 1);
      return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    };
    return { ask, lines, url };
  }

  test('one line tells who asked what, and how it ended', async () => {
    const acme = await createCompany();
    const { ask } = await logged();
    const headers = { 'X-API-Key': acme.key, 'X-Request-Id': 'a-request' };
    const { uniqueId } = await acme.vendor.create({ name: 'Cloud' });
    const seen = await ask(`/external/smart-inventory/vendor/${uniqueId}/item?asOf=2026-01-01T00:00:00Z`, { headers });
    expect(seen).toEqual({
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

  test('the line has the pattern of the path, whichever way it is asked', async () => {
    const acme = await createCompany();
    const { ask, lines } = await logged({ securityContact: 'mailto:security@example.com' });
    const headers = { 'X-API-Key': acme.key };
    const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    const body = JSON.stringify({ name: 'Of the body', description: 'Of the body' });
    const json = { ...headers, 'Content-Type': 'application/json' };
    const told = [
      await ask('/external/smart-inventory/vendor/new', { method: 'POST', headers: json, body }),
      await ask('/external/audit/list', { headers: { ...headers, Accept: 'application/x-ndjson' } }),
      await ask('/external/smart-inventory/vendor/list', { headers: { 'X-API-Key': generateRawKey() } }),
      await ask(`/external/${acme.key}`, { headers }),
      await ask('/trpc/vendor.list', { headers }),
      await ask('/trpc/vendor.list,vendor.list?batch=1&input={}', { headers }),
      await ask(`/trpc/${acme.key}`, { headers }),
      await ask('/trpc/management.company.list', { headers: operator }),
      await ask('/healthz'),
      await ask('/.well-known/security.txt'),
      await ask(`/somewhere?key=${acme.key}`),
    ];
    expect(told.map(({ route, status, key, company: id }) => [route, status, key !== null, id])).toEqual([
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

  test('a refusal for its rate is told with the key', async () => {
    const acme = await createCompany();
    const limits = await openTestRateLimits(1);
    const { ask } = await logged({ rateLimits: limits });
    const headers = { 'X-API-Key': acme.key };
    const path = '/external/smart-inventory/vendor/list';
    expect(await ask(path, { headers })).toMatchObject({ status: 200 });
    expect(await ask(path, { headers })).toMatchObject({ status: 429, key: acme.apiKey.uniqueId, route: path });
  });

  test('a client that goes away is told as aborted', async () => {
    const acme = await createCompany();
    const { url, lines } = await logged();
    const headers = { 'X-API-Key': acme.key, 'Content-Type': 'application/json' };
    const sent = request(`${url}/external/smart-inventory/vendor/new`, { method: 'POST', headers });
    sent.on('error', () => {}).write('{"name":');
    setTimeout(() => sent.destroy(), 300);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line) as object), { timeout: 10_000 })
      .toMatchObject([{ aborted: true, route: '/external/smart-inventory/vendor/new' }]);
  });

  test('nothing is observed where such lines are not written', () => {
    for (const level of ['silent', 'error', 'warn']) expect(logRequests(pino({ level }))).toEqual([]);
    expect(logRequests(pino({ level: 'info' }))).toHaveLength(1);
    expect(observeRequests([])).toBeTypeOf('function');
  });
});
