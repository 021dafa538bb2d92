import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';
import type { HttpResponse } from '../support/http/server.ts';

const acme = await createCompany();
const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
await acme.vendor.create({ name: 'Zürich "AG" \\ \u200B 😀', active: false });

const UNKNOWN_VENDOR = '01990000-0000-7000-8000-000000000000';
const inputQuery = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`;

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

/** What a request sends beside its path: by default the key of Acme and no body. */
interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
}

const get = (input: unknown) => `GET vendor.get?${inputQuery(input)}`;
const batch = (paths: string, inputs?: object) =>
  `GET ${paths}?batch=1${inputs === undefined ? '' : `&${inputQuery(inputs)}`}`;
const both = { 0: { vendor }, 1: { vendor: UNKNOWN_VENDOR } };
const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };

describe('a tRPC response has the status and the error code of the contract for', () => {
  test.for<[name: string, request: string, status: number, errorCode?: unknown, sent?: Sent]>([
    ['a query', get({ vendor }), 200],
    ['a query without input', 'GET vendor.list', 200],
    ['an unknown id', get({ vendor: UNKNOWN_VENDOR }), 404, 'not_found'],
    ['invalid input', `GET task.list?${inputQuery({ framework: 'x' })}`, 400, 'invalid_request'],
    ['input that is not JSON', 'GET vendor.get?input=%7B', 400, 'invalid_request'],
    ['an unknown procedure', 'GET vendor.nothing', 404, 'not_found'],
    ['an inherited name', 'GET toString', 404, 'not_found'],
    ['a mutation', 'POST vendor.update', 200, undefined, { body: { vendor, name: 'Cloud Ltd' } }],
    ['a mutation with invalid input', 'POST vendor.update', 400, 'invalid_request', { body: { vendor, name: '' } }],
    ['a mutation without a body', 'POST vendor.create', 415, 'unsupported_media_type'],
    ['a mutation by GET', `GET vendor.update?${inputQuery({ vendor })}`, 405, 'method_not_allowed'],
    ['a query by POST', 'POST vendor.get', 405, 'method_not_allowed', { body: { vendor } }],
    ['an unsupported method', 'PUT vendor.get', 415, 'unsupported_media_type'],
    [
      'a batch',
      batch('vendor.get,task.list', { 0: { vendor }, 1: { framework: acme.framework } }),
      200,
      [undefined, undefined],
    ],
    [
      'a batch with an encoded comma',
      batch('vendor.get%2Cvendor.list', { 0: { vendor } }),
      200,
      [undefined, undefined],
    ],
    ['a batch with one call that fails', batch('vendor.get,vendor.get', both), 207, [undefined, 'not_found']],
    [
      'a batch with calls that all fail',
      batch('vendor.get,vendor.get', { ...both, 0: {} }),
      207,
      ['invalid_request', 'not_found'],
    ],
    ['a batch without inputs', batch('vendor.list,vendor.list'), 200, [undefined, undefined]],
    [
      'a batch with inputs that are not an object',
      `${batch('vendor.list,vendor.list')}&input=1`,
      400,
      ['invalid_request', 'invalid_request'],
    ],
    [
      'a batch of mutations',
      'POST vendor.update,vendor.update?batch=1',
      207,
      [undefined, 'invalid_request'],
      { body: { 0: { vendor, name: 'Cloud Ltd' }, 1: { vendor, name: '' } } },
    ],
    ['a batch of more than 20 calls', batch(Array(21).fill('vendor.list').join(',')), 400, 'invalid_request'],
    ['an API key that calls a management procedure', 'GET management.company.list', 403, 'forbidden'],
    [
      'an operator who names no company',
      'GET management.framework.list',
      400,
      'invalid_request',
      { headers: operator },
    ],
    ['no credential', 'GET vendor.list', 401, 'unauthorized', { headers: { 'x-api-key': '' } }],
  ])('%s', async ([, request, status, errorCode, { body, headers = { 'x-api-key': acme.key } } = {}]) => {
    const [method = '', path] = request.split(' ');
    const response = await http(method, `/trpc/${path}`, { headers, body });
    expect(responseOutcome(response)).toEqual({ status, errorCode });
  });

  test('HEAD, without a body', async () => {
    expect(await http('HEAD', '/trpc/vendor.list', { key: acme.key })).toMatchObject({ status: 204, text: '' });
  });
});
