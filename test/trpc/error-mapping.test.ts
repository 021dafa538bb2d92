import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  asApiError,
  isReplicaBehind,
  isInsufficientPrivilege,
  isConnectionLost,
  isReadOnlyServer,
  isTimeout,
  isSerializationConflict,
} from '../../database/errors.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ERROR_CODES, ERRORS, toApiError } from '../../procedures/core/errors.ts';

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
    const refusal = toApiError(error);
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
      const refusal = toApiError(error);
      expect(refusal).toMatchObject({ code: 'unavailable', cause: error });
      expect(refusal.message).not.toContain('vendor');
    }
    expect(ERRORS.unavailable.status).toBe(503);
  });

  test.for(['Query read timeout', 'timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])(
    'is 503: %s',
    (message) => expect(toApiError(new Error(message)).code).toBe('unavailable'),
  );

  test.for(['22P02', '23505', '42501', 'XX000', 'EACCES'])('is not meant by %s', (code) => {
    expect(toApiError(Object.assign(new Error('x'), { code })).code).toBe('internal');
  });
});

test('a refusal stays what it is, however deep', () => {
  const refusal = new ApiError('conflict', 'status: done cannot become in_progress');
  expect(toApiError(new TRPCError({ code: 'CONFLICT', cause: new Error('wrapped', { cause: refusal }) }))).toBe(
    refusal,
  );
});

test('each reason has the status and the name over tRPC that the contract gives it', () => {
  expect(Object.entries(ERRORS).map(([code, { status, trpcCode: trpc }]) => `${code} ${status} ${trpc}`)).toEqual([
    'invalid_request 400 BAD_REQUEST',
    'malformed_json 400 PARSE_ERROR',
    'unauthorized 401 UNAUTHORIZED',
    'key_disabled 401 UNAUTHORIZED',
    'key_expired 401 UNAUTHORIZED',
    'forbidden 403 FORBIDDEN',
    'not_found 404 NOT_FOUND',
    'method_not_allowed 405 METHOD_NOT_SUPPORTED',
    'conflict 409 CONFLICT',
    'idempotency_conflict 409 CONFLICT',
    'precondition_failed 412 PRECONDITION_FAILED',
    'payload_too_large 413 PAYLOAD_TOO_LARGE',
    'unsupported_media_type 415 UNSUPPORTED_MEDIA_TYPE',
    'unprocessable 422 UNPROCESSABLE_CONTENT',
    'idempotency_key_reused 422 UNPROCESSABLE_CONTENT',
    'rate_limited 429 TOO_MANY_REQUESTS',
    'internal 500 INTERNAL_SERVER_ERROR',
    'unavailable 503 SERVICE_UNAVAILABLE',
  ]);
  expect(ERROR_CODES).toEqual(Object.keys(ERRORS).filter((reason) => reason !== 'idempotency_key_reused'));
});

describe('what tRPC refuses by itself', () => {
  test('is the first reason of its name, in one line of bounded length', () => {
    const message = `no\nsuch\u0007\u0000 procedure ${'x'.repeat(300)}`;
    const refusal = toApiError(new TRPCError({ code: 'NOT_FOUND', message }));
    expect(refusal).toMatchObject({
      code: 'not_found',
      message: `no such  procedure ${'x'.repeat(300)}`.slice(0, 200),
    });
    expect(toApiError(new TRPCError({ code: 'CONFLICT', message: 'a\ud800b' }))).toMatchObject({
      code: 'conflict',
      message: 'a b',
    });
    expect(toApiError(new TRPCError({ code: 'BAD_REQUEST', message: 'x' }))).toMatchObject({
      code: 'invalid_request',
      message: 'x',
    });
  });

  test('under a name that the contract does not know is a fault of ours', () => {
    expect(toApiError(new TRPCError({ code: 'CLIENT_CLOSED_REQUEST', message: 'x' }))).toMatchObject({
      code: 'internal',
      message: 'Something went wrong on our side.',
    });
  });

  const refused = (schema: z.ZodType, input: unknown, code: 'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' = 'BAD_REQUEST') =>
    toApiError(new TRPCError({ code, cause: schema.safeParse(input).error }));

  test('as input is told by field: the first issue of each, unknown ones by their names, five at most', () => {
    const shape = z.strictObject({
      name: z.string('expected text').min(2, 'too short').regex(/^a/, 'must begin with a'),
      inner: z.strictObject({ n: z.number('expected a number') }),
      list: z.array(z.number('expected a number')),
    });
    const input = { name: '', inner: { n: '1', more: 1, most: 2 }, list: [1, 'x\ny'], other: 1, 'o\nther': 2 };
    expect(refused(shape, input)).toMatchObject({
      code: 'invalid_request',
      message:
        'name: too short; inner.n: expected a number; inner.more: unknown field; inner.most: unknown field; list.1: expected a number',
    });
    expect(refused(shape, { ...input, name: 'ab', inner: { n: 1 }, list: [] }).message).toBe(
      'other: unknown field; o ther: unknown field',
    );
    expect(refused(z.string('expected text'), 1).message).toBe('expected text');
    expect(refused(z.string('expected text'), 1).cause).toBeInstanceOf(z.ZodError);
  });

  test('as our own output is a fault of ours, of which nothing is told', () => {
    expect(refused(z.string('expected text'), 1, 'INTERNAL_SERVER_ERROR')).toMatchObject({ code: 'internal' });
    expect(toApiError(z.string().safeParse(1).error)).toMatchObject({ code: 'internal' });
  });
});

describe('of a failure of the database it is known', () => {
  const failure = (code: string) => Object.assign(new Error('x'), { code });
  /** As it is thrown, and as others wrap it. */
  const holds = (is: (error: unknown) => boolean, error: Error) =>
    [error, new Error('wrapped', { cause: error })].map((thrown) => is(thrown));
  const codes = (is: (error: unknown) => boolean, given: string[]) =>
    given.filter((code) => holds(is, failure(code)).every(Boolean));
  const ALL = [
    '',
    '08003',
    '08006',
    '08P01',
    '22012',
    '23505',
    '25006',
    '25P03',
    '40001',
    '40P01',
    '42501',
    '55P03',
    '57014',
    '57P01',
    '57P02',
    '57P05',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
  ];

  test('by its code what may be run again, or was lost, and why', () => {
    expect(codes(isSerializationConflict, ALL)).toEqual(['40001', '40P01']);
    expect(codes(isConnectionLost, ALL)).toEqual([
      '08003',
      '08006',
      '08P01',
      '25P03',
      '57P01',
      '57P02',
      '57P05',
      'ECONNRESET',
      'EPIPE',
    ]);
    expect(codes(isReadOnlyServer, ALL)).toEqual(['25006']);
    expect(codes(isInsufficientPrivilege, ALL)).toEqual(['42501']);
    expect(codes(isReplicaBehind, ALL)).toEqual([]);
    expect(codes(isTimeout, ALL)).toEqual([]);
  });

  test('by its message, from the beginning, where pg gives no code', () => {
    const messages = ['Connection terminated', 'Client has encountered a connection error', 'Client was closed'];
    for (const message of messages) {
      expect(holds(isConnectionLost, new Error(`${message} and is not queryable`))).toEqual([true, true]);
      expect(holds(isConnectionLost, new Error(`somebody says: ${message}`))).toEqual([false, false]);
      expect(asApiError(new Error(message))?.code).toBe('unavailable');
    }
    expect(holds(isTimeout, new Error('Query read timeout'))).toEqual([true, true]);
    expect(holds(isTimeout, new Error('another'))).toEqual([false, false]);
    expect(isConnectionLost(new Error('Query read timeout'))).toBe(false);
    expect(holds(isReplicaBehind, new Error('The replica is behind'))).toEqual([true, true]);
    expect(holds(isReplicaBehind, new Error('another'))).toEqual([false, false]);
    for (const message of [
      'timeout expired',
      'Cannot use a pool after calling end',
      'the database system is starting up',
    ]) {
      expect(asApiError(new Error(message))?.code).toBe('unavailable');
      expect(asApiError(new Error(`somebody says: ${message}`))).toBeUndefined();
    }
  });

  test('that what is no error, or has no code, says nothing', () => {
    for (const is of [
      isSerializationConflict,
      isConnectionLost,
      isReadOnlyServer,
      isInsufficientPrivilege,
      isReplicaBehind,
      isTimeout,
    ]) {
      for (const nothing of [
        undefined,
        null,
        'x',
        { code: '40001' },
        Object.assign(new Error('x'), { code: 40_001 }),
      ]) {
        expect(is(nothing)).toBe(false);
      }
    }
    expect(asApiError(undefined)).toBeUndefined();
    expect(asApiError(failure('08'))).toBeUndefined();
  });

  test('what every class and code of an unavailable one is', () => {
    const unavailable = ['08001', '28P01', '3D000', '53100', '57P03', '58000', '25P03', '25006', '40001', '55P03'];
    const systems =
      'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOENT EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL';
    for (const code of [...unavailable, ...systems.split(' '), 'ENOTFOUND', 'EAI_AGAIN']) {
      expect([code, asApiError(failure(code))?.code]).toEqual([code, 'unavailable']);
    }
    expect(asApiError(failure('40001'))?.message).toBe('The database cannot serve this now. Try again shortly.');
  });
});
