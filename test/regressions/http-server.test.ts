import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { http, sendRaw } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

// Defects found by attempts to break the service.
const acme = await createCompany();

const LIST_PATH = '/external/smart-inventory/vendor/list';
const CREATE_PATH = '/external/smart-inventory/vendor/new';

test('lengths are counted in UTF-16 units, not in code points', async () => {
  const tooLong = await http('POST', CREATE_PATH, { key: acme.key, body: { name: '😀'.repeat(128) } });
  expect(tooLong).toMatchObject({ status: 400, body: { error: 'name: expected text of 1 to 255 characters' } });
  const label = await http('POST', `/external/task/framework/${acme.framework}/new`, {
    key: acme.key,
    body: { title: 'x', labels: ['😀'.repeat(26)] },
  });
  expect(label).toMatchObject({ status: 400 });
});

test('a space before the parameters of a content type is valid', async () => {
  const headers = { 'Content-Type': 'application/json ; charset=utf-8' };
  expect(await http('POST', CREATE_PATH, { key: acme.key, body: { name: 'x' }, headers })).toMatchObject({
    status: 201,
  });
});

test('an unknown framework is 404 even if the fields break other rules', async () => {
  for (const body of [
    { title: 'x', startDate: '2026-02-02', dueDate: '2026-02-01' },
    { title: 'x', gaps: [1, 1] },
  ]) {
    expect(await http('POST', '/external/task/framework/2147483647/new', { key: acme.key, body })).toMatchObject({
      status: 404,
    });
    expect(await http('POST', `/external/task/framework/${acme.framework}/new`, { key: acme.key, body })).toMatchObject(
      { status: 422 },
    );
  }
});

test('a path integer of four hundred digits is not found', async () => {
  const path = `/external/task/framework/${'9'.repeat(400)}/list`;
  expect(await http('GET', path, { key: acme.key })).toMatchObject({ status: 404 });
});

test('a target that is not a URL is 400, even without a key', async () => {
  const response = await sendRaw('GET http://[/external/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1.1 400 /);
  expect(response).toContain('{"error":"The request target has no path."}');
});

test('Expect: 100-continue is 401 without a key, and gets 100 Continue with a key', async () => {
  const head = `POST ${CREATE_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\nConnection: close\r\n`;
  expect(await sendRaw(`${head}\r\n`)).toMatch(/^HTTP\/1.1 401 /);
  const admitted = await sendRaw(`${head}X-API-Key: ${acme.key}\r\n\r\n{"name":"x"}`);
  expect(admitted).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
});

test('a request pipelined after a rejected body is not executed, because its response could not be sent', async () => {
  const head = (type: string) =>
    `POST ${CREATE_PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${acme.key}\r\nContent-Type: ${type}\r\nContent-Length: 16\r\n`;
  const body = '{"name":"Ahead"}';
  const response = await sendRaw(
    `${head('text/plain')}Expect: 100-continue\r\n\r\n${body}${head('application/json')}\r\n${body}`,
  );
  expect(response).toMatch(/^HTTP\/1.1 415 [^]*expected application\/json"\}$/);
  const { body: vendors } = await http('GET', `${LIST_PATH}?q=Ahead`, { key: acme.key });
  expect(vendors).toEqual([]);
  expect(await sendRaw(`${head('application/json')}Connection: close\r\n\r\n${body}`)).toMatch(/^HTTP\/1.1 201 /);
});

describe('a body over tRPC is validated as over REST:', () => {
  test.for([
    [Buffer.from('{"name":"z\xff"}', 'latin1'), {}, 400, 'malformed_json'],
    ['{', {}, 400, 'malformed_json'],
    ['{"name":"x"}', { 'Content-Encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['{"name":"x"}', { 'Content-Type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
    ['{"name":"x"}', { 'Content-Type': 'application/octet-stream' }, 415, 'unsupported_media_type'],
    ['--b--', { 'Content-Type': 'multipart/form-data; boundary=b' }, 415, 'unsupported_media_type'],
    [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, {}, 400, 'invalid_request'],
  ] as const)('%s %o', async ([body, headers, status, errorCode]) => {
    const response = await http('POST', '/trpc/vendor.create', { key: acme.key, body, headers: { ...headers } });
    expect(response).toMatchObject({ status, body: { error: { data: { errorCode, httpStatus: status } } } });
  });
});

test('a procedure without an input rejects one', async () => {
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(acme.id) };
  const path = `/trpc/management.framework.list?input=${encodeURIComponent('{"x":1}')}`;
  expect(await http('GET', path, { headers })).toMatchObject({ status: 400 });
});

test('a malformed Authorization header is 401', async () => {
  for (const authorization of ['whatever', 'Bearer', 'Bearer  ', `Basic ${OPERATOR_TOKEN}`]) {
    const response = await http('GET', '/trpc/management.company.list', { headers: { Authorization: authorization } });
    expect(response).toMatchObject({ status: 401 });
  }
});

test('invalid settings stop the start with one line', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const empty = join(folder, 'empty');
  await mkdir(empty);
  await writeFile(join(empty, 'operator-token'), '');
  const cases = [
    [{ DATA_DIR: file }, /^DATA_DIR: /],
    [{ DATA_DIR: empty }, /^DATA_DIR: .*operator-token contains no valid token/],
    [{ DATA_DIR: folder, DATABASE_URL: 'postgres://' }, /^DATABASE_URL: /],
    [{ DATA_DIR: folder, PORT: ' ' }, /^PORT: /],
    [{ DATA_DIR: folder, RUN_MIGRATIONS: 'false' }, /^RUN_MIGRATIONS: is false, but migrations are pending/],
    [{ DATA_DIR: folder, OPERATOR_TOKEN: `${'x'.repeat(20)} ${'x'.repeat(20)}` }, /^OPERATOR_TOKEN: /],
  ] as const;
  for (const [settings, line] of cases) {
    const result = await runProgram('server/main.js', [], { ...settings });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(result.stderr).toMatch(line);
  }
  expect(await runProgram('cli/manage.ts', ['company', 'list'], { PORT: 'abc' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^PORT: [^\n]+\n$/),
  });
});

test('a timestamp may have any offset and more fractional digits than microseconds', async () => {
  const { uniqueId, createdAt } = await acme.newTask();
  const asOf = async (timestamp: string) =>
    (await http('GET', `/external/task/${uniqueId}/item?asOf=${encodeURIComponent(timestamp)}`, { key: acme.key }))
      .status;
  expect(await asOf(createdAt)).toBe(200);
  const justBefore = new Date(new Date(createdAt).getTime() - 1).toISOString().replace('Z', '9999Z');
  expect(await asOf(justBefore)).toBe(404);
  for (const offset of ['+16:00', '-23:59', '+23:59', '+05:30']) {
    expect(await asOf(`2999-01-01T00:00:00${offset}`)).toBe(200);
    const list = `/external/audit/list?since=${encodeURIComponent(`2030-01-01T00:00:00${offset}`)}`;
    expect(await http('GET', list, { key: acme.key })).toMatchObject({ status: 200, body: { items: [] } });
  }
});
