import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../procedures/index.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { ODD_OBJECTS } from '../programs/fuzz/generators/text-corpus.ts';
import { createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const ODD_OBJECT = { length: { toString: null } };

const acme = await createCompany();

const PROCEDURES = Object.keys(appRouter._def.procedures).flatMap((path) => {
  const [input] = definitionOf(appRouter, path).inputs;
  const object = input instanceof z.ZodOptional ? input.unwrap() : input;
  return object instanceof z.ZodObject ? [{ path, input: object, fields: Object.keys(object.shape) }] : [];
});

test.for(PROCEDURES)('every field of $path rejects objects with an odd length', ({ input, fields }) => {
  const issuesOf = (field: string, value: unknown) =>
    input.safeParse({ [field]: value }).error?.issues.filter(({ path: [name] }) => name === field) ?? [];
  // A field that takes an empty object takes objects with any names.
  for (const field of fields.filter((name) => issuesOf(name, {}).length > 0)) {
    for (const odd of ODD_OBJECTS) {
      const rejected = issuesOf(field, odd).length > 0;
      expect({ field, odd, rejected }).toEqual({ field, odd, rejected: true });
    }
  }
});

test.for(PROCEDURES)('$path rejects a field that it does not know', ({ input }) => {
  const { error } = input.safeParse({ nonsense: true });
  expect(error?.issues).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['nonsense'] }));
});

test('procedures with fields are covered', () => {
  const fields = PROCEDURES.flatMap(({ path, fields: names }) => names.map((name) => `${path}.${name}`));
  expect(fields).toEqual(expect.arrayContaining(['vendor.create.name', 'task.create.labels', 'task.list.q']));
});

describe('an object with an odd length is 400 over HTTP', () => {
  const VENDOR = '/external/smart-inventory/vendor/new';
  test.for([
    [VENDOR, { name: ODD_OBJECT }, 'name: expected text of 1 to 255 characters'],
    [VENDOR, { name: 'x', description: ODD_OBJECT }, 'description: expected text of at most 20000 characters'],
    ['task', { title: ODD_OBJECT }, 'title: expected text of 1 to 255 characters'],
    ['task', { title: 'x', labels: ODD_OBJECT }, 'labels: expected an array of text'],
    ['task', { title: 'x', labels: [ODD_OBJECT] }, 'labels.0: expected text of 1 to 50 characters'],
  ] as const)('%s %j', async ([resource, body, error]) => {
    const path = resource === 'task' ? `/external/task/framework/${acme.framework}/new` : resource;
    expect(await http('POST', path, { key: acme.key, body })).toMatchObject({ status: 400, body: { error } });
  });
});

describe('a number beyond the range of a double is 400, and is not read as null', () => {
  test.for(['1e400', '-1e400'])('%s', async (number) => {
    const { uniqueId } = await acme.newTask({ departmentId: acme.department });
    const changes = `{"taskUniqueId":"${uniqueId}","departmentId":${number}}`;
    const overTrpc = await http('POST', '/trpc/task.update', { key: acme.key, body: changes });
    expect(overTrpc).toMatchObject({ status: 400, body: { error: { data: { errorCode: 'invalid_request' } } } });
    expect(overTrpc.text).toContain('departmentId: expected an integer');
    const path = `/external/task/${uniqueId}/edit`;
    expect(await http('PATCH', path, { key: acme.key, body: `{"departmentId":${number}}` })).toMatchObject({
      status: 400,
    });
    expect(await acme.task.get({ taskUniqueId: uniqueId })).toMatchObject({ departmentId: acme.department });
  });
});
