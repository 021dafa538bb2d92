import { beforeAll, describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN, company } from './support/company.ts';
import type { TestCompany } from './support/company.ts';
import { http } from './support/server.ts';
import type { Answer } from './support/server.ts';

let acme: TestCompany;
let vendor: string;
beforeAll(async () => {
  acme = await company();
  ({ uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' }));
  await acme.vendor.create({ name: 'Zürich "AG" \\ \u2028 😀', active: false });
});

const NO_VENDOR = '01990000-0000-7000-8000-000000000000';
const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`;
/** Without what differs from one answer to the next. */
const comparable = ({ status, headers, text }: Answer) => {
  const { date: _date, 'x-request-id': _id, connection: _connection, 'keep-alive': _alive, ...rest } = headers;
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...told } = rest;
  return { status, headers: told, text };
};

describe('an answer over tRPC is the same with and without its adapter:', () => {
  const cases: [string, string, () => string, () => unknown, Record<string, string>?][] = [
    ['one query', 'GET', () => `vendor.get?${input({ vendor })}`, () => undefined],
    ['a query without input', 'GET', () => 'vendor.list', () => undefined],
    ['what is not found', 'GET', () => `vendor.get?${input({ vendor: NO_VENDOR })}`, () => undefined],
    ['bad input', 'GET', () => `task.list?${input({ framework: 'x' })}`, () => undefined],
    ['input that is no JSON', 'GET', () => 'vendor.get?input=%7B', () => undefined],
    ['an unknown procedure', 'GET', () => 'vendor.nothing', () => undefined],
    ['an inherited name', 'GET', () => 'toString', () => undefined],
    ['a mutation', 'POST', () => 'vendor.update', () => ({ vendor, name: 'Cloud Ltd' })],
    ['a mutation that is refused', 'POST', () => 'vendor.update', () => ({ vendor, name: '' })],
    ['a mutation without a body', 'POST', () => 'vendor.create', () => undefined],
    ['a mutation by GET', 'GET', () => `vendor.update?${input({ vendor })}`, () => undefined],
    ['a query by POST', 'POST', () => 'vendor.get', () => ({ vendor })],
    ['another method', 'PUT', () => 'vendor.get', () => undefined],
    ['HEAD', 'HEAD', () => 'vendor.list', () => undefined],
    [
      'a batch',
      'GET',
      () => `vendor.get,task.list?batch=1&${input({ 0: { vendor }, 1: { framework: acme.framework } })}`,
      () => undefined,
    ],
    ['a batch with a list', 'GET', () => `vendor.list,vendor.list?batch=1&${input({ 1: {} })}`, () => undefined],
    [
      'a batch with a comma that is encoded',
      'GET',
      () => `vendor.get%2Cvendor.list?batch=1&${input({ 0: { vendor } })}`,
      () => undefined,
    ],
    [
      'a batch of which one fails',
      'GET',
      () => `vendor.get,vendor.get?batch=1&${input({ 0: { vendor }, 1: { vendor: NO_VENDOR } })}`,
      () => undefined,
    ],
    [
      'a batch of which all fail',
      'GET',
      () => `vendor.get,vendor.get?batch=1&${input({ 0: {}, 1: { vendor: NO_VENDOR } })}`,
      () => undefined,
    ],
    ['a batch without inputs', 'GET', () => 'vendor.list,vendor.list?batch=1', () => undefined],
    ['a batch whose inputs are no object', 'GET', () => 'vendor.list,vendor.list?batch=1&input=1', () => undefined],
    [
      'a batch of mutations',
      'POST',
      () => 'vendor.update,vendor.update?batch=1',
      () => ({ 0: { vendor, name: 'Cloud Ltd' }, 1: { vendor } }),
    ],
    [
      'a batch that is too large',
      'GET',
      () => `${Array.from({ length: 21 }, () => 'vendor.list').join(',')}?batch=1`,
      () => undefined,
    ],
    ['what only the operator may', 'GET', () => 'management.company.list', () => undefined],
    [
      'the operator without a company',
      'GET',
      () => 'management.framework.list',
      () => undefined,
      { authorization: `Bearer ${OPERATOR_TOKEN}` },
    ],
    ['no credential', 'GET', () => 'vendor.list', () => undefined, { 'x-api-key': '' }],
  ];
  test.for(cases)('%s', async ([, method, path, body, headers]) => {
    const ask = (more: Record<string, string>) => {
      const credentials = headers ?? { 'x-api-key': acme.key };
      return http(method, `/trpc/${path()}`, { headers: { ...credentials, ...more }, body: body() });
    };
    const plain = await ask({});
    const adapted = await ask({ 'trpc-accept': 'application/json' }); // names what only the adapter knows
    expect(comparable(plain)).toEqual(comparable(adapted));
  });
});
