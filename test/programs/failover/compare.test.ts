import { describe, expect, test } from 'vitest';
import type { AuditEventRow, Snapshot, TableRow } from '../faults/checks/snapshot.ts';
import { compare } from './checks/compare.ts';
import type { Attempt, FeedItem, History, LoadOperation, LoadRequest } from './workload/history.ts';

const NONE = { lost: [], twice: [], unmatched: [], stale: [] };

const attempt = (status: number, number = 1, fields: Partial<Attempt> = {}): Attempt => ({
  operationId: 'w1',
  attempt: number,
  outcome: status < 300 ? 'acknowledged' : status === 503 ? 'unknown' : 'rejected',
  status,
  code: undefined,
  hasRetryAfter: status === 503,
  receivedAtMs: 0,
  durationMs: 1,
  ...fields,
});

const create = (attempts: Attempt[], fields: Partial<LoadRequest> = {}): LoadOperation => ({
  request: {
    operationId: 'w1',
    company: 7,
    method: 'POST',
    path: '/external/smart-inventory/vendor/new',
    action: 'create',
    resourceType: 'vendor',
    hasIdempotencyKey: true,
    isContended: false,
    ...fields,
  },
  attempts,
});

const row = (id: string, name: string): TableRow => ({ company_id: 7, unique_id: id, name, version: 1 });
const event = (id: string, name: string, requestId: string): AuditEventRow => ({
  company_id: 7,
  id: '1',
  action: 'vendor.create',
  resource_type: 'vendor',
  resource_id: id,
  changes: row(id, name),
  request_id: requestId,
});

const stored = (vendors: TableRow[], events: AuditEventRow[]): Snapshot => ({
  tasks: [],
  vendors,
  events,
  taskCounts: [],
  idempotencyRecords: [],
});
const history = (operations: LoadOperation[], items: FeedItem[], ownReads: History['ownReads'] = []): History => ({
  operations,
  ownReads,
  feeds: new Map([[7, items]]),
});

/** A write whose first response was lost, and whose second one is acknowledged. */
const repeated = create([attempt(503), attempt(201, 2, { resource: 'a' })]);
const storedOnce = stored([row('a', 'w1')], [event('a', 'w1', 'w1.1')]);
const inFeed = [{ sequence: 1, requestId: 'w1.1' }];

describe('comparison of a round', () => {
  test('a write that is acknowledged after a repetition and stored once violates nothing', () => {
    expect(compare(history([repeated], inFeed), storedOnce)).toEqual(NONE);
  });

  test('a write that was never acknowledged may be stored or not', () => {
    const unknown = create([attempt(503)]);
    expect(compare(history([unknown], inFeed), storedOnce)).toEqual(NONE);
    expect(compare(history([unknown], []), stored([], []))).toEqual(NONE);
  });

  test('an acknowledged write without its event and without its item in the feed is lost', () => {
    expect(compare(history([repeated], []), stored([], []))).toEqual({
      ...NONE,
      lost: ['w1: is acknowledged and has no event', 'the feed of company 7: lacks w1'],
    });
  });

  test('a write that both attempts made is stored twice', () => {
    const both = stored([row('a', 'w1'), row('b', 'w1')], [event('a', 'w1', 'w1.1'), event('b', 'w1', 'w1.2')]);
    const items = [...inFeed, { sequence: 2, requestId: 'w1.2' }];
    expect(compare(history([repeated], items), both)).toEqual({
      ...NONE,
      twice: ['w1: has 2 events', 'the feed of company 7: has w1 2 times'],
    });
  });

  test('a change without an event, and an event without a change, are found', () => {
    expect(compare(history([repeated], inFeed), stored([], storedOnce.events)).unmatched).toEqual([
      'vendor a is in the audit log and is not stored',
    ]);
    const other = stored([...storedOnce.vendors, row('b', 'other')], storedOnce.events);
    expect(compare(history([repeated], inFeed), other).unmatched).toEqual([
      'vendor b is stored and has no audit event',
    ]);
  });

  test('an event that no client caused, and an event of a rejected write, are found', () => {
    expect(compare(history([], inFeed), storedOnce).unmatched).toEqual(['w1: has an event, and no client sent it']);
    const rejected = create([attempt(503), attempt(412, 2)]);
    expect(compare(history([rejected], inFeed), storedOnce).unmatched).toEqual(['w1: is rejected and has an event']);
  });

  test('a response that names another resource than the event is found', () => {
    const misled = create([attempt(201, 1, { resource: 'z' })]);
    expect(compare(history([misled], inFeed), storedOnce).unmatched).toEqual(['w1: its event is vendor.create of a']);
  });

  test('a hole, and a repetition, in the sequences of the feed are found', () => {
    for (const sequence of [2, 0]) {
      const { unmatched } = compare(history([repeated], [{ sequence, requestId: 'w1.1' }]), storedOnce);
      expect(unmatched).toEqual([`the feed of company 7: has ${sequence} at the place of 1`]);
    }
  });

  test('a read that shows an older text, or nothing, is stale', () => {
    const reads = [
      { operationId: 'r1', expected: 'w1', seen: 'w1' },
      { operationId: 'r2', expected: 'w1', seen: 'w0' },
      { operationId: 'r3', expected: 'w1', seen: undefined },
    ];
    expect(compare(history([repeated], inFeed, reads), storedOnce)).toEqual({
      ...NONE,
      stale: ['r2: saw w0 after w1', 'r3: saw nothing after w1'],
    });
  });
});
