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

describe('an internal error', () => {
  test.for([
    ['any error', new Error(SECRET)],
    ['an error of the database', Object.assign(new Error(SECRET), { code: '42P01', detail: SECRET })],
    ['a violated constraint', Object.assign(new Error(SECRET), { code: '23514', table: 'vendor' })],
    [
      'an error wrapped by tRPC',
      new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: SECRET, cause: new Error(SECRET) }),
    ],
    ['a thrown string', SECRET],
    ['undefined', undefined],
  ])('reveals no details in its response: %s', ([, error]) => {
    const apiError = toApiError(error);
    expect(apiError).toMatchObject({ code: 'internal', message: 'Something went wrong on our side.' });
    expect(apiError.cause).toBe(error); // logged, not returned
  });
});

describe('an unavailable database', () => {
  test.for([
    '08006', // connection failure
    '28000', // the role is not authorized
    '3D000', // no such database
    '40001', // serialization failure after all retries
    '40P01',
    '53300', // too many connections
    '55P03', // lock timeout
    '57014', // statement timeout
    '57P01', // shut down
    '58030', // I/O error
    '25P03',
    '25006', // read-only transaction
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    'ETIMEDOUT',
  ])('is 503: %s', (code) => {
    const cause = Object.assign(new Error(SECRET), { code });
    for (const error of [cause, new Error('wrapped', { cause })]) {
      const apiError = toApiError(error);
      expect(apiError).toMatchObject({ code: 'unavailable', cause: error });
      expect(apiError.message).not.toContain('vendor');
    }
    expect(ERRORS.unavailable.status).toBe(503);
  });

  test.for(['Query read timeout', 'timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])(
    'is 503: %s',
    (message) => expect(toApiError(new Error(message)).code).toBe('unavailable'),
  );

  test.for(['22P02', '23505', '42501', 'XX000', 'EACCES'])('does not include %s', (code) => {
    expect(toApiError(Object.assign(new Error('x'), { code })).code).toBe('internal');
  });
});

test('an ApiError is found in any chain of causes', () => {
  const apiError = new ApiError('conflict', 'status: done cannot become canceled');
  expect(toApiError(new TRPCError({ code: 'CONFLICT', cause: new Error('wrapped', { cause: apiError }) }))).toBe(
    apiError,
  );
});

test('each reason has the status and the tRPC code of the contract', () => {
  expect(Object.entries(ERRORS).map(([code, { status, trpcCode }]) => `${code} ${status} ${trpcCode}`)).toEqual([
    'invalid_request 400 BAD_REQUEST',
    'malformed_json 400 PARSE_ERROR',
    'unauthorized 401 UNAUTHORIZED',
    'second_factor_required 401 UNAUTHORIZED',
    'key_disabled 401 UNAUTHORIZED',
    'key_expired 401 UNAUTHORIZED',
    'forbidden 403 FORBIDDEN',
    'not_found 404 NOT_FOUND',
    'method_not_allowed 405 METHOD_NOT_SUPPORTED',
    'conflict 409 CONFLICT',
    'idempotency_conflict 409 CONFLICT',
    'cursor_lost 410 NOT_FOUND',
    'precondition_failed 412 PRECONDITION_FAILED',
    'payload_too_large 413 PAYLOAD_TOO_LARGE',
    'unsupported_media_type 415 UNSUPPORTED_MEDIA_TYPE',
    'range_not_satisfiable 416 BAD_REQUEST',
    'misdirected 421 BAD_REQUEST',
    'unprocessable 422 UNPROCESSABLE_CONTENT',
    'idempotency_key_reused 422 UNPROCESSABLE_CONTENT',
    'rate_limited 429 TOO_MANY_REQUESTS',
    'internal 500 INTERNAL_SERVER_ERROR',
    'unavailable 503 SERVICE_UNAVAILABLE',
  ]);
  const otherReasons = new Set(['idempotency_key_reused', 'second_factor_required']);
  expect(ERROR_CODES).toEqual(Object.keys(ERRORS).filter((reason) => !otherReasons.has(reason)));
});

describe('an error of tRPC', () => {
  test('becomes the first reason with its code, with a message of one bounded line', () => {
    const message = `no\nsuch\u0007\u0000 procedure ${'x'.repeat(300)}`;
    const apiError = toApiError(new TRPCError({ code: 'NOT_FOUND', message }));
    expect(apiError).toMatchObject({
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

  test('with an unknown code becomes an internal error', () => {
    expect(toApiError(new TRPCError({ code: 'CLIENT_CLOSED_REQUEST', message: 'x' }))).toMatchObject({
      code: 'internal',
      message: 'Something went wrong on our side.',
    });
  });

  const errorFor = (schema: z.ZodType, input: unknown, code: 'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' = 'BAD_REQUEST') =>
    toApiError(new TRPCError({ code, cause: schema.safeParse(input).error }));

  test('for invalid input names at most five fields, with the first issue of each', () => {
    const shape = z.strictObject({
      name: z.string('expected text').min(2, 'too short').regex(/^a/, 'must begin with a'),
      inner: z.strictObject({ n: z.number('expected a number') }),
      list: z.array(z.number('expected a number')),
    });
    const input = { name: '', inner: { n: '1', more: 1, most: 2 }, list: [1, 'x\ny'], other: 1, 'o\nther': 2 };
    expect(errorFor(shape, input)).toMatchObject({
      code: 'invalid_request',
      message:
        'name: too short; inner.n: expected a number; inner.more: unknown field; inner.most: unknown field; list.1: expected a number',
    });
    expect(errorFor(shape, { ...input, name: 'ab', inner: { n: 1 }, list: [] }).message).toBe(
      'other: unknown field; o ther: unknown field',
    );
    expect(errorFor(z.string('expected text'), 1).message).toBe('expected text');
    expect(errorFor(z.string('expected text'), 1).cause).toBeInstanceOf(z.ZodError);
  });

  test('for invalid output becomes an internal error without details', () => {
    expect(errorFor(z.string('expected text'), 1, 'INTERNAL_SERVER_ERROR')).toMatchObject({ code: 'internal' });
    expect(toApiError(z.string().safeParse(1).error)).toMatchObject({ code: 'internal' });
  });
});

describe('a database error', () => {
  const errorWithCode = (code: string) => Object.assign(new Error('x'), { code });
  /** Tests an error and a wrapper of it. */
  const testBoth = (predicate: (error: unknown) => boolean, error: Error) =>
    [error, new Error('wrapped', { cause: error })].map((thrown) => predicate(thrown));
  const codes = (predicate: (error: unknown) => boolean, candidates: string[]) =>
    candidates.filter((code) => testBoth(predicate, errorWithCode(code)).every(Boolean));
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

  test('is classified by its code', () => {
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

  test('without a code is classified by the start of its message', () => {
    const messages = ['Connection terminated', 'Client has encountered a connection error', 'Client was closed'];
    for (const message of messages) {
      expect(testBoth(isConnectionLost, new Error(`${message} and is not queryable`))).toEqual([true, true]);
      expect(testBoth(isConnectionLost, new Error(`prefix: ${message}`))).toEqual([false, false]);
      expect(asApiError(new Error(message))?.code).toBe('unavailable');
    }
    expect(testBoth(isTimeout, new Error('Query read timeout'))).toEqual([true, true]);
    expect(testBoth(isTimeout, new Error('another'))).toEqual([false, false]);
    expect(isConnectionLost(new Error('Query read timeout'))).toBe(false);
    expect(testBoth(isReplicaBehind, new Error('The replica is behind'))).toEqual([true, true]);
    expect(testBoth(isReplicaBehind, new Error('another'))).toEqual([false, false]);
    for (const message of [
      'timeout expired',
      'Cannot use a pool after calling end',
      'the database system is starting up',
    ]) {
      expect(asApiError(new Error(message))?.code).toBe('unavailable');
      expect(asApiError(new Error(`prefix: ${message}`))).toBeUndefined();
    }
  });

  test('is not assumed for other values and for errors without a code', () => {
    for (const predicate of [
      isSerializationConflict,
      isConnectionLost,
      isReadOnlyServer,
      isInsufficientPrivilege,
      isReplicaBehind,
      isTimeout,
    ]) {
      for (const value of [undefined, null, 'x', { code: '40001' }, Object.assign(new Error('x'), { code: 40_001 })]) {
        expect(predicate(value)).toBe(false);
      }
    }
    expect(asApiError(undefined)).toBeUndefined();
    expect(asApiError(errorWithCode('08'))).toBeUndefined();
  });

  test('is unavailable for every listed class and code', () => {
    const unavailable = ['08001', '28P01', '3D000', '53100', '57P03', '58000', '25P03', '25006', '40001', '55P03'];
    const systemCodes =
      'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOENT EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL';
    for (const code of [...unavailable, ...systemCodes.split(' '), 'ENOTFOUND', 'EAI_AGAIN']) {
      expect([code, asApiError(errorWithCode(code))?.code]).toEqual([code, 'unavailable']);
    }
    expect(asApiError(errorWithCode('40001'))?.message).toBe('The database cannot serve this now. Try again shortly.');
  });
});
