import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Database } from '../../database/database.ts';
import { SealWaiters } from '../../database/seal-waiters.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

/** Longer than the interval between two queries without a notification. */
const SOME_POLLS_MS = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waiters on a database with these heads. */
function createWaiters(heads: Record<number, string>) {
  const driver = stubDriver({
    'audit.seal-heads': () => Object.entries(heads).map(([company, head]) => ({ company: Number(company), head })),
  });
  let queryMs = 0;
  const run = driver.run.bind(driver);
  driver.run = async (...call) => {
    if (queryMs > 0) await new Promise((end) => setTimeout(end, queryMs));
    return run(...call);
  };
  const database = new Database(driver);
  const waiters = new SealWaiters(database, database.seals);
  const wait = (
    company: number,
    head: string,
    { caller = `key of ${company}`, timeoutMs = 30_000, signal = new AbortController().signal } = {},
  ) => waiters.wait({ company, caller, head }, { timeoutMs, signal });
  return {
    waiters,
    wait,
    seals: database.seals,
    queries: () => driver.calls.length,
    setQueryMs: (ms: number) => void (queryMs = ms),
  };
}

describe('waiting requests', () => {
  test('end when the head of their company moves, in either direction', async () => {
    const heads = { 1: '9', 2: '5', 3: '7' };
    const { waiters, wait } = createWaiters(heads);
    const waiting = [wait(1, '9'), wait(2, '5'), wait(3, '7')];
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(waiters.count).toBe(3);
    heads[1] = '10';
    heads[3] = '2'; // a restored database
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(await Promise.all([waiting[0], waiting[2]])).toEqual([true, true]);
    expect(waiters.count).toBe(1);
    waiters.stop();
    expect(await waiting[1]).toBe(false);
  });

  test('share one query for all companies, which runs only while a request waits', async () => {
    const { wait, queries } = createWaiters({ 1: '1', 2: '1' });
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(queries()).toBe(0);
    const waiting = [
      wait(1, '1', { timeoutMs: 650 }),
      wait(2, '1', { timeoutMs: 650 }),
      wait(2, '1', { timeoutMs: 650 }),
    ];
    await vi.advanceTimersByTimeAsync(650);
    expect(queries()).toBe(3); // at the start, and each 300 ms
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
    await vi.advanceTimersByTimeAsync(10 * SOME_POLLS_MS);
    expect(queries()).toBeLessThanOrEqual(4);
  });

  test('end at a notification, before the interval between two queries', async () => {
    const heads = { 1: '1' };
    const { wait, seals } = createWaiters(heads);
    const waiting = wait(1, '1', { timeoutMs: 100 });
    await vi.advanceTimersByTimeAsync(50);
    heads[1] = '2';
    seals.announce();
    await vi.advanceTimersByTimeAsync(50);
    expect(await waiting).toBe(true);
  });

  test('end at once if the head has moved before the wait', async () => {
    const { wait } = createWaiters({ 1: '2' });
    const waiting = wait(1, '1', { timeoutMs: 100 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await waiting).toBe(true);
  });

  test('query at most a twentieth of the time after a burst, and at least each 300 ms', async () => {
    const { wait, seals, queries, setQueryMs } = createWaiters({ 1: '1' });
    const waiting = wait(1, '1', { timeoutMs: 60_000 });
    const countIn = async (ms: number) => {
      const before = queries();
      for (let at = 0; at < ms; at += 1) {
        seals.announce();
        await vi.advanceTimersByTimeAsync(1);
      }
      return queries() - before;
    };
    setQueryMs(5);
    await countIn(1000);
    expect(await countIn(2100)).toBeLessThanOrEqual(20);
    setQueryMs(100);
    await countIn(1000);
    expect(await countIn(4000)).toBe(10);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await waiting).toBe(false);
  });

  test('end at the timeout, when the client disconnects, and when the server stops', async () => {
    const { waiters, wait } = createWaiters({ 1: '1' });
    const disconnected = new AbortController();
    const first = wait(1, '1', { caller: 'a', timeoutMs: 500 });
    const second = wait(1, '1', { caller: 'b', signal: disconnected.signal });
    const third = wait(1, '1', { caller: 'c' });
    await vi.advanceTimersByTimeAsync(500);
    expect([await first, waiters.count]).toEqual([false, 2]);
    disconnected.abort();
    expect([await second, waiters.count]).toEqual([false, 1]);
    waiters.stop();
    expect(await third).toBe(false);
    expect(await wait(1, '0')).toBe(false); // later requests do not wait
    expect(await wait(1, '0', { signal: disconnected.signal })).toBe(false);
    expect(waiters.count).toBe(0);
  });

  test('are at most 2 of a key and 200 of a process; others do not wait', async () => {
    const { waiters, wait } = createWaiters({ 1: '1' });
    const first = [wait(1, '1', { caller: 'a', timeoutMs: 100 }), wait(1, '1', { caller: 'a', timeoutMs: 100 })];
    expect([await wait(1, '1', { caller: 'a' }), waiters.count, waiters.rejectedCount]).toEqual([false, 2, 1]);
    const others = Array.from({ length: 198 }, (_, index) => wait(1, '1', { caller: `key ${index}` }));
    expect([await wait(1, '1', { caller: 'b' }), waiters.count, waiters.rejectedCount]).toEqual([false, 200, 2]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all(first)).toEqual([false, false]);
    const again = wait(1, '0', { caller: 'a' });
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(await again).toBe(true);
    waiters.stop();
    expect(new Set(await Promise.all(others))).toEqual(new Set([false]));
  });

  test('end with the error of the database, and later ones wait again', async () => {
    const heads: Record<number, string> = { 1: '1' };
    let isAvailable = false;
    const driver = stubDriver({
      'audit.seal-heads': () => {
        if (!isAvailable) throw new Error('the database is gone');
        return [{ company: 1, head: heads[1] }];
      },
    });
    const database = new Database(driver);
    const waiters = new SealWaiters(database, database.seals);
    const failed = waiters.wait({ company: 1, caller: 'a', head: '1' }, { timeoutMs: 30_000 }).catch(String);
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(await failed).toContain('gone');
    isAvailable = true;
    const waiting = waiters.wait({ company: 1, caller: 'a', head: '0' }, { timeoutMs: 30_000 });
    await vi.advanceTimersByTimeAsync(SOME_POLLS_MS);
    expect(await waiting).toBe(true);
  });
});
