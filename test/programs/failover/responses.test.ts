import { describe, expect, test } from 'vitest';
import { recoveryTime } from './checks/recovery.ts';
import { checkLog } from './checks/log-lines.ts';
import { countResponses } from './checks/responses.ts';
import type { Attempt, LoadOperation } from './workload/history.ts';

const operation = (attempts: Partial<Attempt>[], isContended = false): LoadOperation => ({
  request: {
    operationId: 'w1',
    company: 7,
    method: 'PATCH',
    path: '/external/task/1/edit',
    action: 'update',
    resourceType: 'task',
    hasIdempotencyKey: true,
    isContended,
  },
  attempts: attempts.map((fields, index) => ({
    operationId: 'w1',
    attempt: index + 1,
    outcome: 'unknown',
    status: 503,
    code: undefined,
    hasRetryAfter: true,
    receivedAtMs: 0,
    durationMs: 1,
    ...fields,
  })),
});
const acknowledged = { status: 204, outcome: 'acknowledged' } as const;
const failedPrecondition = { status: 412, outcome: 'rejected' } as const;
const inFlight = { status: 409, code: 'idempotency_conflict' } as const;

describe('responses', () => {
  test('2xx, 503 with Retry-After, and what the load provokes are counted apart', () => {
    const operations = [
      operation([{}, {}, inFlight, acknowledged]),
      operation([acknowledged]),
      operation([failedPrecondition], true),
    ];
    expect(countResponses(operations)).toEqual({ success: 2, unavailable: 2, provoked: 2, misdirected: 0, wrong: [] });
  });

  test.for([
    ['a 500', { status: 500 }],
    ['a 503 without Retry-After', { hasRetryAfter: false }],
    ['a broken connection', { status: 'ECONNRESET on a kept connection', hasRetryAfter: false }],
    ['a 412 of a resource that nobody else changes', failedPrecondition],
    ['a 409 for the first attempt', inFlight],
    ['a 401', { status: 401, outcome: 'rejected' }],
  ] as const)('%s is a wrong response', ([, attempt]) => {
    const { wrong } = countResponses([operation([attempt, acknowledged])]);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain('w1: PATCH /external/task/1/edit: ');
  });

  test('a write that is never acknowledged is a wrong response', () => {
    const { wrong } = countResponses([operation([{}, {}])]);
    expect(wrong).toEqual(['w1: PATCH /external/task/1/edit: is never acknowledged']);
  });
});

describe('time until 99 % succeed again', () => {
  const during = (fromMs: number, toMs: number, hasFailed = false) =>
    Array.from({ length: (toMs - fromMs) / 10 }, (_, index) => ({ atMs: fromMs + 10 * index, hasFailed }));

  test('is 0 without failures', () => {
    expect(recoveryTime(during(0, 9000), 2000, 9000)).toBe(0);
  });

  test('lasts until the end of the last second with failures, also after seconds without', () => {
    const responses = [...during(0, 2000), ...during(2000, 4000, true), ...during(4000, 9000)];
    expect(recoveryTime(responses, 2000, 9000)).toBe(2000);
    expect(recoveryTime([...responses, ...during(6500, 6600, true)], 2000, 9000)).toBe(5000);
  });

  test('includes seconds without any response', () => {
    expect(recoveryTime([...during(0, 2000), ...during(5000, 9000)], 2000, 9000)).toBe(3000);
  });

  test('allows one failure among a hundred responses', () => {
    const responses = [...during(2000, 2010, true), ...during(2010, 9000)];
    expect(recoveryTime(responses, 2000, 9000)).toBe(0);
    expect(recoveryTime([...responses, ...during(2500, 2510, true)], 2000, 9000)).toBe(1000);
  });

  test('is unknown if requests still fail at the end', () => {
    expect(recoveryTime(during(0, 9000, true), 2000, 9000)).toBeUndefined();
  });
});

describe('log lines', () => {
  const line = (seconds: number, fields: object = {}) =>
    JSON.stringify({ level: 40, pid: 1, time: seconds * 1000, msg: 'audit log: sealing failed', ...fields });

  test('are counted by kind', () => {
    const reason = 'The database cannot serve this now. Try again shortly.';
    const unavailable = { msg: 'request: service unavailable', reason };
    const lines = [line(1), line(2, { pid: 2 }), line(3, unavailable), line(4, { company: 5 }), line(11), 'no JSON'];
    expect(checkLog(lines.join('\n'))).toEqual({
      counts: new Map([
        ['audit log: sealing failed', 3],
        [`request: service unavailable: ${reason}`, 1],
        ['audit log: sealing failed (company 5)', 1],
      ]),
      tooFrequent: [],
    });
  });

  test('of one kind and process within ten seconds are found', () => {
    expect(checkLog([line(1), line(10), line(30)].join('\n')).tooFrequent).toEqual([
      'process 1 logs "audit log: sealing failed" again after 9.0 s',
    ]);
  });
});
