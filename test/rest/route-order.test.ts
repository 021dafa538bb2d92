import { expect, test } from 'vitest';
import { z } from 'zod';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { startRest } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';

/** An operation that returns its name. */
const defineOperation = (name: string, path: `/${string}`, input: z.ZodObject) =>
  companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path, summary: name } })
    .input(input)
    .output(z.strictObject({ name: z.string() }))
    .query(() => ({ name }));

const framework = z.strictObject({ framework: z.int() });
const task = z.strictObject({ taskUniqueId: z.uuid() });
const operations = {
  tasks: defineOperation('tasks', '/external/task/framework/{framework}/list', framework),
  comments: defineOperation('comments', '/external/task/{taskUniqueId}/comment/list', task),
  anyTask: defineOperation('anyTask', '/external/task/{title}', z.strictObject({ title: z.string() })),
  newTask: defineOperation('newTask', '/external/task/new', z.strictObject({})),
};

test.each([
  ['as written', Object.entries(operations)],
  ['in the reverse order', Object.entries(operations).toReversed()],
])('a literal segment wins over a parameter, with the operations %s', async (_, declared) => {
  const { key } = await createCompany();
  const { url, stop } = await startRest(router(Object.fromEntries(declared)));
  const call = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/external/task/${path}`, { headers: { 'X-API-Key': key } })).json();
  try {
    expect(await call('framework/7/list')).toEqual({ name: 'tasks' });
    expect(await call('019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071/comment/list')).toEqual({ name: 'comments' });
    expect(await call('new')).toEqual({ name: 'newTask' });
    expect(await call('newer')).toEqual({ name: 'anyTask' });
  } finally {
    await stop();
  }
});
