import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from '../procedures/errors.ts';

const SECRET = 'relation "vendor" of postgres://app:secret@10.0.0.1 at /srv/entities/vendor.ts:12';

describe('an error that is a fault of ours', () => {
  test.for([
    ['any error', new Error(SECRET)],
    ['a database’s complaint', Object.assign(new Error(SECRET), { code: '42P01', detail: SECRET })],
    ['a broken constraint', Object.assign(new Error(SECRET), { code: '23514', table: 'vendor' })],
    ['what tRPC wraps', new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: SECRET, cause: new Error(SECRET) })],
    ['no error at all', SECRET],
    ['nothing', undefined],
  ])('is told without a word of it: %s', ([, error]) => {
    const refusal = refusalOf(error);
    expect(refusal).toMatchObject({ code: 'internal', message: 'Something went wrong on our side.' });
    expect(refusal.cause).toBe(error); // for the log
  });
});

describe('a database that cannot serve now', () => {
  test.for([
    '08006', // connection failure
    '28000', // the role may not enter
    '3D000', // no such database
    '40001', // in the way, again and again
    '40P01',
    '53300', // too many connections
    '55P03', // a lock was waited for in vain
    '57014', // ended by a time limit
    '57P01', // shut down
    '58030', // cannot read its files
    '25P03',
    '25006', // takes no writes
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    'ETIMEDOUT',
  ])('is 503: %s', (code) => {
    const cause = Object.assign(new Error(SECRET), { code });
    for (const error of [cause, new Error('wrapped', { cause })]) {
      const refusal = refusalOf(error);
      expect(refusal).toMatchObject({ code: 'unavailable', cause: error });
      expect(refusal.message).not.toContain('vendor');
    }
    expect(ERRORS.unavailable.status).toBe(503);
  });

  test.for(['Query read timeout', 'timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])(
    'is 503: %s',
    (message) => expect(refusalOf(new Error(message)).code).toBe('unavailable'),
  );

  test.for(['22P02', '23505', '42501', 'XX000', 'EACCES'])('is not meant by %s', (code) => {
    expect(refusalOf(Object.assign(new Error('x'), { code })).code).toBe('internal');
  });
});

test('a refusal stays what it is, however deep', () => {
  const refusal = new Refusal('conflict', 'status: done cannot become in_progress');
  expect(refusalOf(new TRPCError({ code: 'CONFLICT', cause: new Error('wrapped', { cause: refusal }) }))).toBe(refusal);
});
