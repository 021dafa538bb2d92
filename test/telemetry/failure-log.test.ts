import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { ApiError } from '../../entities/api-error.ts';
import { noteError } from '../../server/http/error-handler.ts';
import { processCounters } from '../../server/http/process-counters.ts';
import { deleteExpiredRecords } from '../../entities/idempotency-record/idempotency-record.ts';
import { sealing } from '../../procedures/audit/sealing.ts';
import { importing } from '../../procedures/import/job.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { findJob } from '../support/database/jobs.ts';
import { limitFailures } from '../../server/telemetry/failure-log.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import { database, databaseUrl } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { hasPostgreSql, startPostgreSql } from '../support/servers/postgresql.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';

interface Line {
  level: number;
  msg: string;
  reason?: string;
  suppressed?: number;
  err?: { type?: string; message?: string; code?: string };
  line?: number;
}

const FAILURE_LEVEL = 40;

/** Creates a log that limits failures, and collects its lines. */
function collectLines(intervalMs?: number) {
  const lines: Line[] = [];
  const failures = limitFailures({ intervalMs });
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const log = pino({ level: 'info', hooks: { logMethod: failures.logMethod } }, stream);
  return { log, lines, flush: failures.flush };
}

const countFailures = () => processCounters.failures.values().reduce((sum, count) => sum + count, 0);

describe('of one kind of failure', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());
  const outage = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  test('the first line is written, then one in ten seconds with the number of suppressed ones', () => {
    const { log, lines } = collectLines();
    const before = countFailures();
    for (let line = 0; line < 1000; line++) log.warn({ line, requestId: `r${line}`, err: outage() }, 'request: failed');
    expect(lines).toMatchObject([{ line: 0, level: 40, err: { code: 'ECONNREFUSED' } }]);
    vi.advanceTimersByTime(9999);
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(lines.slice(1)).toMatchObject([{ line: 999, requestId: 'r999', suppressed: 998, msg: 'request: failed' }]);
    log.warn({ line: 1000, err: outage() }, 'request: failed');
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(10_000);
    expect(lines.slice(2)).toMatchObject([{ line: 1000, suppressed: 0 }]);
    expect(countFailures() - before).toBe(1001);
  });

  test('a line after ten seconds without one is written at once', () => {
    const { log, lines } = collectLines();
    log.warn({ line: 0 }, 'job: failed');
    vi.advanceTimersByTime(10_000);
    log.warn({ line: 1 }, 'job: failed');
    expect(lines).toMatchObject([{ line: 0 }, { line: 1 }]);
    expect(lines.every((line) => !('suppressed' in line))).toBe(true);
  });

  test('ids, numbers and quoted values make no difference', () => {
    const { log, lines } = collectLines();
    const id = (digit: number) => `0199f00d-1111-7000-8000-00000000000${digit}`;
    for (let digit = 0; digit < 5; digit++)
      log.error(
        { err: new Error(`no row ${id(digit)} with 'x${digit}' and "A value ${digit}" after ${digit} ms`) },
        'x',
      );
    expect(lines).toHaveLength(1);
  });
});

test('a database that is away is one kind of failure, whatever the causes are', () => {
  const { log, lines, flush } = collectLines();
  for (const cause of [new Error('connect ECONNREFUSED'), new Error('Connection terminated')]) {
    const unavailable = new ApiError('unavailable', 'The database cannot serve this now.', { cause });
    noteError(log, { requestId: 'a-request' }, unavailable);
    log.warn({ err: unavailable }, 'audit log: sealing failed');
  }
  noteError(
    log,
    { requestId: 'a-request' },
    new ApiError('unavailable', 'The keys are away.', { cause: new Error('fetch failed') }),
  );
  expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
    ['request: service unavailable', 'The database cannot serve this now.'],
    ['audit log: sealing failed', undefined],
    ['request: service unavailable', 'The keys are away.'],
  ]);
  flush();
  expect(lines.slice(3)).toMatchObject([
    { err: { message: 'Connection terminated' }, suppressed: 0 },
    { msg: 'audit log: sealing failed', suppressed: 0 },
  ]);
});

test.for([
  ['another message', (log: pino.Logger) => log.warn('job: failed')],
  [
    'another code',
    (log: pino.Logger) => log.warn({ err: { type: 'Error', message: 'gone', code: '57P02' } }, 'request'),
  ],
  [
    'another type',
    (log: pino.Logger) => log.warn({ err: { type: 'TypeError', message: 'gone', code: '57P01' } }, 'request'),
  ],
  [
    'another text',
    (log: pino.Logger) => log.warn({ err: { type: 'Error', message: 'lost', code: '57P01' } }, 'request'),
  ],
  ['another constraint', (log: pino.Logger) => log.error({ err: new Error('violates "task_title_check"') }, 'write')],
  ['another origin', (log: pino.Logger) => log.error({ err: new Error('violates "task_pkey"') }, 'write')],
  ['another cause', (log: pino.Logger) => log.error({ err: new Error('failed', { cause: new Error('two') }) }, 'read')],
  ['another company', (log: pino.Logger) => log.warn({ company: 2 }, 'sealing')],
  ['another reason', (log: pino.Logger) => log.warn({ reason: 'SIGKILL' }, 'worker')],
] as const)('a failure with %s is written while others repeat', ([, fail]) => {
  const { log, lines, flush } = collectLines();
  for (let times = 0; times < 3; times++) {
    log.warn({ err: { type: 'Error', message: 'gone', code: '57P01' } }, 'request');
    log.error({ err: new Error('violates "task_pkey"') }, 'write');
    log.error({ err: new Error('failed', { cause: new Error('one') }) }, 'read');
    log.warn({ company: 1 }, 'sealing');
    log.warn({ reason: 'SIGTERM' }, 'worker');
  }
  expect(lines).toHaveLength(5);
  fail(log);
  expect(lines).toHaveLength(6);
  flush();
});

test('a new error is written after any number of kinds with another message, and each message has a bounded number of kinds', () => {
  const { log, lines, flush } = collectLines();
  for (let length = 1; length <= 500; length++)
    log.warn({ err: { message: 'x'.repeat(length) } }, 'request: service unavailable');
  expect(lines).toHaveLength(101);
  log.error({ err: new TypeError('a bug') }, 'request: failed');
  expect(lines.at(-1)).toMatchObject({ level: 50, err: { message: 'a bug' } });
  flush();
  expect(lines.reduce((sum, { suppressed = 0 }) => sum + 1 + suppressed, 0)).toBe(501);
});

test('texts that differ after 500 characters are one kind', () => {
  const { log, lines, flush } = collectLines();
  for (const end of ['one', 'two']) log.warn({ reason: 'x'.repeat(500) + end }, 'sign-in: failed');
  expect(lines).toHaveLength(1);
  flush();
  expect(lines).toHaveLength(2);
});

test('lines below warnings are not limited', () => {
  const { log, lines } = collectLines();
  for (let times = 0; times < 100; times++) log.info({ status: 503 }, 'request');
  expect(lines).toHaveLength(100);
});

test('every failure is counted by its message, whatever the log level is', async () => {
  const message = 'test: only counted';
  for (const level of ['silent', 'fatal'] as const) {
    const log = createLog(level);
    for (let times = 0; times < 3; times++) log.warn(message);
    log.error({ err: new Error('one') }, message);
  }
  const metrics = await startMetrics(database).collect();
  const failures = metrics.find(({ name }) => name === 'failures_total');
  expect(failures?.values).toContainEqual(expect.objectContaining({ labels: { message }, value: 8 }));
});

test('the log of the service limits failures, applies its level, and writes the last suppressed lines when it ends', async () => {
  const script = `import { createLog, flushLog } from './server/telemetry/log.ts';
    for (const level of ['silent', 'error', 'info']) {
      const log = createLog(level);
      for (let line = 0; line < 50; line++) {
        log.warn({ level, line }, 'a warning');
        log.error({ level, line, err: new Error('svc_sk_live_' + 'x'.repeat(46)) }, 'an error');
      }
      await flushLog(log);
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.map(({ msg, line, suppressed }) => [msg, line, suppressed])).toEqual([
    ['an error', 0, undefined],
    ['an error', 49, 48],
    ['a warning', 0, undefined],
    ['an error', 0, undefined],
    ['a warning', 49, 48],
    ['an error', 49, 48],
  ]);
  expect(stdout).not.toContain('svc_sk_live_x');
});

test.runIf(databaseUrl !== undefined && hasPostgreSql)(
  'while PostgreSQL is down, each kind of failure has one line in an interval, and an error with another cause is written (needs initdb)',
  async () => {
    const intervalMs = 1000;
    const outageMs = 3500;
    const postgresql = await startPostgreSql();
    const interrupted = await openPostgreSql(postgresql.url);
    await interrupted.migrate();
    const { key } = await createCompanyIn(interrupted);
    const { log, lines, flush } = collectLines(intervalMs);
    let bug: Error | undefined;
    const isStopping = () => {
      if (bug !== undefined) throw bug;
      return false;
    };
    const { url, stop: stopApp } = await startApp({ log, isStopping }, interrupted);
    const get = async (path: string) => (await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } })).status;
    const list = () => get('/external/smart-inventory/vendor/list');
    expect(await list()).toBe(200);
    const stopJobs = [sealing, importing, { ...findJob(deleteExpiredRecords.name), intervalMs: 20 }].map((job) =>
      startJob(job, { database: interrupted, log }),
    );
    try {
      const before = countFailures();
      await postgresql.stop();
      const start = performance.now();
      const statuses: number[] = [];
      const clients = Array.from({ length: 16 }, async () => {
        while (performance.now() < start + outageMs) statuses.push(await list());
      });
      await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(50), { timeout: 60_000 });
      bug = new TypeError('A bug that the outage must not hide');
      expect(await get('/readyz')).toBe(500);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 50, err: expect.objectContaining({ message: bug.message }) }),
      );
      await Promise.all(clients);
      await Promise.all(stopJobs.map((stop) => stop()));
      const elapsedMs = performance.now() - start;
      const failures = lines.filter(({ level }) => level >= FAILURE_LEVEL);
      const kinds = Map.groupBy(failures, ({ msg }) => msg);
      for (const [kind, { length }] of kinds)
        expect({ kind, length }).toEqual({ kind, length: expect.toSatisfy((n) => n <= 2 + elapsedMs / intervalMs) });
      expect([...new Set(failures.map(({ msg }) => msg))]).toEqual(
        expect.arrayContaining(['request: service unavailable', 'request: failed', 'audit log: sealing failed']),
      );
      expect(new Set(statuses)).toEqual(new Set([503]));
      expect(failures.length).toBeLessThan(statuses.length / 2);
      expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(statuses.length + 2);
      flush();
      const reported = lines
        .filter(({ level }) => level >= FAILURE_LEVEL)
        .reduce((sum, { suppressed = 0 }) => sum + 1 + suppressed, 0);
      expect(reported).toBe(countFailures() - before);
      await postgresql.start();
      bug = undefined;
      await vi.waitFor(async () => expect(await list()).toBe(200), { timeout: 60_000 });
    } finally {
      await stopApp();
      await interrupted.close();
      await postgresql.remove();
    }
  },
);
