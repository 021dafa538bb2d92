import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FairQueue } from '../../database/connection/fair-queue.ts';
import { PoolQueue } from '../../database/connection/pool-queue.ts';
import type { PoolQueueLimits } from '../../database/connection/pool-queue.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { readStatement } from '../../entities/statements/define-statement.ts';
import { database, databaseUrl } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';

describe('a fair queue', () => {
  const queueOf = (...items: [company: number | undefined, item: string][]) => {
    const queue = new FairQueue<string>();
    for (const [company, item] of items) queue.push(company, item);
    return queue;
  };
  const takeAll = (queue: FairQueue<string>) => {
    const taken: (string | undefined)[] = [];
    while (queue.length > 0) taken.push(queue.take());
    return taken.join(' ');
  };

  test('serves companies in turn, and each in its order', () => {
    const queue = queueOf([1, 'a1'], [1, 'a2'], [1, 'a3'], [2, 'b1'], [undefined, 'x1'], [2, 'b2']);
    expect(takeAll(queue)).toBe('a1 b1 x1 a2 b2 a3');
    expect(queue.take()).toBeUndefined();
  });

  test('serves a company that comes later after one item of each other', () => {
    const queue = queueOf([1, 'a1'], [1, 'a2'], [1, 'a3'], [2, 'b1'], [2, 'b2']);
    expect(queue.take()).toBe('a1');
    queue.push(3, 'c1');
    expect(takeAll(queue)).toBe('b1 a2 c1 b2 a3');
  });

  test('serves the company that has used least time, which saves none up while it has no items', () => {
    const queue = queueOf([1, 'a1'], [1, 'a2'], [1, 'a3']);
    expect(queue.take()).toBe('a1');
    queue.push(2, 'b1');
    queue.charge(1, 60);
    expect(queue.take()).toBe('b1');
    queue.charge(2, 1);
    queue.push(2, 'b2');
    expect(queue.take()).toBe('b2');
    queue.charge(2, 100);
    queue.push(2, 'b3');
    expect(queue.take()).toBe('a2');
    queue.charge(1, 1000);
    expect(takeAll(queue)).toBe('b3 a3');
    queue.charge(1, 1000); // forgotten, because nothing waits
    queue.push(3, 'c1');
    queue.push(3, 'c2');
    queue.push(1, 'a4');
    expect(queue.length).toBe(3);
    expect(queue.take()).toBe('c1');
    queue.charge(3, 5000);
    expect(takeAll(queue)).toBe('a4 c2');
  });

  test('passes over items that are not ready, whose company keeps its turn', () => {
    const queue = queueOf([1, 'a1 write'], [1, 'a2'], [2, 'b1 write'], [3, 'c1'], [3, 'c2']);
    const isRead = (item: string) => !item.endsWith('write');
    expect([queue.take(isRead), queue.take(isRead), queue.take(isRead), queue.take(isRead)]).toEqual([
      'a2',
      'c1',
      'c2',
      undefined,
    ]);
    expect(takeAll(queue)).toBe('b1 write a1 write');
  });

  test('drops the newest item of the company that has most, for one that has fewer', () => {
    const queue = queueOf([1, 'a1'], [1, 'a2'], [1, 'a3'], [2, 'b1']);
    expect(queue.dropForOther(1)).toBeUndefined();
    expect(queue.dropForOther(3)).toBe('a3');
    expect(queue.dropForOther(2)).toBeUndefined();
    expect(takeAll(queue)).toBe('a1 b1 a2');
  });

  test('removes what has expired', () => {
    const queue = queueOf([1, 'a1'], [1, 'a2 expired'], [2, 'b1 expired']);
    expect(queue.removeExpired((item) => item.endsWith('expired'))).toEqual(['a2 expired', 'b1 expired']);
    expect([...queue]).toEqual(['a1']);
    expect(queue.length).toBe(1);
  });
});

describe('the queue for connections', () => {
  const LIMITS: PoolQueueLimits = { capacity: 4, writes: 3, perCompany: 3, queueLength: 4 };
  /** Requests connections, and records the names of those that were granted or rejected. */
  function open(limits: Partial<PoolQueueLimits> = {}) {
    const queue = new PoolQueue({ ...LIMITS, ...limits });
    const granted: string[] = [];
    const rejected: string[] = [];
    const acquire = (company: number, name: string, write = false) =>
      queue.acquire({ write, deadline: Infinity, company }, (error) =>
        (error === undefined ? granted : rejected).push(name),
      );
    return { queue, granted, rejected, acquire };
  }

  test('keeps a connection that one company cannot have', () => {
    const { queue, granted, acquire } = open();
    for (let request = 1; request <= 5; request++) acquire(1, `a${request}`);
    expect(granted).toEqual(['a1', 'a2', 'a3']);
    acquire(2, 'b1');
    expect(granted).toEqual(['a1', 'a2', 'a3', 'b1']);
    queue.release({ write: false, company: 2 });
    expect(granted).toEqual(['a1', 'a2', 'a3', 'b1']);
    queue.release({ write: false, company: 1 });
    expect(granted).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
  });

  test('grants the next connection to a company that waits for its first', async () => {
    const { queue, granted, acquire } = open({ capacity: 1, perCompany: 1 });
    for (let request = 1; request <= 3; request++) acquire(1, `a${request}`);
    acquire(2, 'b1');
    queue.release({ write: false, company: 1 });
    await nextIteration();
    queue.release({ write: false, company: 1 });
    await nextIteration();
    expect(granted).toEqual(['a1', 'a2', 'b1']);
  });

  test('grants the only connection to a request that follows at once, ahead of a company that used more time', async () => {
    const { queue, granted, acquire } = open({ capacity: 1, perCompany: 1 });
    for (const name of ['a1', 'a2', 'a3']) acquire(1, name);
    acquire(2, 'b1');
    queue.release({ write: false, company: 1 }, 60);
    acquire(1, 'a4');
    await nextIteration();
    expect(granted).toEqual(['a1', 'b1']);
    queue.release({ write: false, company: 2 }, 1);
    acquire(2, 'b2');
    await nextIteration();
    expect(granted).toEqual(['a1', 'b1', 'b2']);
    queue.release({ write: false, company: 2 }, 1);
    await nextIteration();
    expect(granted).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('rejects the last request of the company that has most of them, when it is full', () => {
    const { granted, rejected, acquire } = open({ capacity: 1, perCompany: 1 });
    for (let request = 1; request <= 6; request++) acquire(1, `a${request}`);
    expect(rejected).toEqual(['a6']);
    acquire(2, 'b1');
    acquire(2, 'b2');
    expect(rejected).toEqual(['a6', 'a5', 'a4']);
    acquire(2, 'b3');
    acquire(1, 'a7');
    expect(rejected).toEqual(['a6', 'a5', 'a4', 'b3', 'a7']);
    expect(granted).toEqual(['a1']);
  });
});

test('a read of another company runs after one statement of the company whose statements wait', async () => {
  const queried = databaseUrl === undefined ? database : await openPostgreSql(databaseUrl, { maxConnections: 1 });
  if (queried !== database) onTestFinished(() => queried.close());
  const [busy, other] = [await createCompany(), await createCompany()];
  const one = readStatement<object, { one: number }>('fair-queue.one', 'select 1 as one');
  const ended: string[] = [];
  const run = async (name: string, company: number) => {
    await new Session(queried, operatorPrincipal(company), name).run(one, {});
    ended.push(name);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = queried.transaction(() => {
    begun.resolve();
    return promise;
  });
  await begun.promise;
  const waiting = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name, busy.id));
  waiting.push(run('b1', other.id));
  resolve();
  await Promise.all([holding, ...waiting]);
  expect(ended).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
});
