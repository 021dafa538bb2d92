import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const acme = await createCompany();
const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
await acme.vendor.create({ name: 'Zürich "AG" \\ \u2028 😀', active: false });

const UNKNOWN_VENDOR = '01990000-0000-7000-8000-000000000000';
const inputQuery = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`;
const errorOutcome = (status: number, errorCode: string) => ({ status, errorCode });
const batchOutcome = (status: number, ...errorCode: (string | undefined)[]) => ({ status, errorCode });
const noErrorCode = undefined;
const okOutcome = { status: 200, errorCode: undefined };

/** Returns the HTTP status of a response, with the error code, or the codes of all calls of a batch. */
function responseOutcome({ status, text }: HttpResponse): unknown {
  const body: unknown = JSON.parse(text);
  const codeOf = (result: unknown) => TrpcResponse.parse(result).error?.data.errorCode;
  return { status, errorCode: Array.isArray(body) ? body.map(codeOf) : codeOf(body) };
}

const TrpcResponse = z.object({
  error: z
    .strictObject({
      message: z.string(),
      code: z.int(),
      data: z.strictObject({
        code: z.string(),
        httpStatus: z.int(),
        errorCode: z.string(),
        path: z.string().optional(),
      }),
    })
    .optional(),
});

describe('a tRPC response has the status and the error code of the contract for', () => {
  const list = 'vendor.list';
  const get = (value: unknown) => `vendor.get?${inputQuery(value)}`;
  const cases: [string, string, () => string, () => unknown, unknown, Record<string, string>?][] = [
    ['a query', 'GET', () => get({ vendor }), () => undefined, okOutcome],
    ['a query without input', 'GET', () => list, () => undefined, okOutcome],
    ['an unknown id', 'GET', () => get({ vendor: UNKNOWN_VENDOR }), () => undefined, errorOutcome(404, 'not_found')],
    [
      'invalid input',
      'GET',
      () => `task.list?${inputQuery({ framework: 'x' })}`,
      () => undefined,
      errorOutcome(400, 'invalid_request'),
    ],
    [
      'input that is not JSON',
      'GET',
      () => 'vendor.get?input=%7B',
      () => undefined,
      errorOutcome(400, 'invalid_request'),
    ],
    ['an unknown procedure', 'GET', () => 'vendor.nothing', () => undefined, errorOutcome(404, 'not_found')],
    ['an inherited name', 'GET', () => 'toString', () => undefined, errorOutcome(404, 'not_found')],
    ['a mutation', 'POST', () => 'vendor.update', () => ({ vendor, name: 'Cloud Ltd' }), okOutcome],
    [
      'a mutation with invalid input',
      'POST',
      () => 'vendor.update',
      () => ({ vendor, name: '' }),
      errorOutcome(400, 'invalid_request'),
    ],
    [
      'a mutation without a body',
      'POST',
      () => 'vendor.create',
      () => undefined,
      errorOutcome(415, 'unsupported_media_type'),
    ],
    [
      'a mutation by GET',
      'GET',
      () => `vendor.update?${inputQuery({ vendor })}`,
      () => undefined,
      errorOutcome(405, 'method_not_allowed'),
    ],
    ['a query by POST', 'POST', () => 'vendor.get', () => ({ vendor }), errorOutcome(405, 'method_not_allowed')],
    ['an unsupported method', 'PUT', () => 'vendor.get', () => undefined, errorOutcome(415, 'unsupported_media_type')],
    [
      'a batch',
      'GET',
      () => `vendor.get,task.list?batch=1&${inputQuery({ 0: { vendor }, 1: { framework: acme.framework } })}`,
      () => undefined,
      batchOutcome(200, noErrorCode, noErrorCode),
    ],
    [
      'a batch with an encoded comma',
      'GET',
      () => `vendor.get%2Cvendor.list?batch=1&${inputQuery({ 0: { vendor } })}`,
      () => undefined,
      batchOutcome(200, noErrorCode, noErrorCode),
    ],
    [
      'a batch with one call that fails',
      'GET',
      () => `vendor.get,vendor.get?batch=1&${inputQuery({ 0: { vendor }, 1: { vendor: UNKNOWN_VENDOR } })}`,
      () => undefined,
      batchOutcome(207, noErrorCode, 'not_found'),
    ],
    [
      'a batch with calls that all fail',
      'GET',
      () => `vendor.get,vendor.get?batch=1&${inputQuery({ 0: {}, 1: { vendor: UNKNOWN_VENDOR } })}`,
      () => undefined,
      batchOutcome(207, 'invalid_request', 'not_found'),
    ],
    [
      'a batch without inputs',
      'GET',
      () => 'vendor.list,vendor.list?batch=1',
      () => undefined,
      batchOutcome(200, noErrorCode, noErrorCode),
    ],
    [
      'a batch with inputs that are not an object',
      'GET',
      () => 'vendor.list,vendor.list?batch=1&input=1',
      () => undefined,
      batchOutcome(400, 'invalid_request', 'invalid_request'),
    ],
    [
      'a batch of mutations',
      'POST',
      () => 'vendor.update,vendor.update?batch=1',
      () => ({ 0: { vendor, name: 'Cloud Ltd' }, 1: { vendor, name: '' } }),
      batchOutcome(207, noErrorCode, 'invalid_request'),
    ],
    [
      'a batch of more than 20 calls',
      'GET',
      () => `${Array.from({ length: 21 }, () => list).join(',')}?batch=1`,
      () => undefined,
      errorOutcome(400, 'invalid_request'),
    ],
    [
      'an API key that calls a management procedure',
      'GET',
      () => 'management.company.list',
      () => undefined,
      errorOutcome(403, 'forbidden'),
    ],
    [
      'an operator who names no company',
      'GET',
      () => 'management.framework.list',
      () => undefined,
      errorOutcome(400, 'invalid_request'),
      { authorization: `Bearer ${OPERATOR_TOKEN}` },
    ],
    ['no credential', 'GET', () => list, () => undefined, errorOutcome(401, 'unauthorized'), { 'x-api-key': '' }],
  ];

  test.for(cases)('%s', async ([, method, path, body, expected, credentials]) => {
    const headers = credentials ?? { 'x-api-key': acme.key };
    const response = await http(method, `/trpc/${path()}`, { headers, body: body() });
    expect(responseOutcome(response)).toEqual(expected);
  });

  test('HEAD, without a body', async () => {
    expect(await http('HEAD', `/trpc/${list}`, { key: acme.key })).toMatchObject({ status: 204, text: '' });
  });
});

test('a list over tRPC equals the list of a caller', async () => {
  const { body } = await http('GET', '/trpc/vendor.list', { key: acme.key });
  expect(body).toEqual({ result: { data: await acme.vendor.list() } });
});
