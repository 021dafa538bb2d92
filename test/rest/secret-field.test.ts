import { afterAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { SCOPES } from '../../entities/api-key/scope.ts';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { sql } from '../support/database/database.ts';
import { startRest } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const UNIQUE_ID = '0199aa00-0000-7000-8000-000000000001';
const SECRET = 'whsec_c2hvd24gb25jZQ==';
const SHOWN = { uniqueId: UNIQUE_ID, version: 1, createdBy: { name: 'Ann' }, updatedBy: { name: 'Ann' } };
const secret = z.string().meta({ examples: [SECRET] });
const Endpoint = z
  .object({
    uniqueId: z.uuid(),
    version: z.int(),
    createdBy: z.object({ name: z.string() }),
    updatedBy: z.object({ name: z.string() }),
    secret,
  })
  .meta({ id: 'TestEndpoint', examples: [{ ...SHOWN, secret: SECRET }] });

/** Number of times that a resolver ran. */
let runs = 0;

/** A procedure whose response contains a secret. */
const secretProcedure = <Output extends z.ZodType>(meta: Meta, output: Output, response: z.infer<Output>) =>
  companyProcedure('webhook:manage', 'audit:read')
    .meta(meta)
    .input(z.strictObject({}))
    .output(output)
    .mutation(() => {
      runs += 1;
      return response;
    });

const procedures = router({
  create: secretProcedure(
    {
      openapi: { method: 'POST', path: '/external/endpoint/new', summary: 'Creates', description: 'Creates it.' },
      response: {
        kind: 'json',
        location: '/external/endpoint/{uniqueId}/item',
        secretField: 'secret',
      },
    },
    Endpoint,
    { ...SHOWN, secret: SECRET },
  ),
  rotate: secretProcedure(
    {
      openapi: { method: 'POST', path: '/external/endpoint/rotate', summary: 'Rotates' },
      response: { kind: 'json', secretField: 'secret' },
    },
    z.object({ secret }),
    { secret: SECRET },
  ),
});

const { url, stop } = await startRest(procedures);
afterAll(stop);

const acme = await createCompany();
const { key } = await acme.manage.apiKey.create({ name: 'Webhooks', scopes: [...SCOPES] });
beforeEach(() => {
  runs = 0;
});

async function send(path: string, headers: Record<string, string> = {}, apiKey = key) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json', ...headers },
    body: '{}',
  });
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    body: await response.json(),
    location: header('Location'),
    etag: header('ETag'),
    replayed: header('Idempotency-Replayed'),
  };
}

const records = (company: TestCompany) =>
  sql<{ status: number; body: string; headers: object }>(
    'select status, body, headers from idempotency_record where company_id = $1 order by created_at',
    company.id,
  );

test('a secret is in the first response, and neither in the idempotency record nor in a replay', async () => {
  const idempotencyKey = { 'Idempotency-Key': 'create-1' };
  const headers = { status: 201, location: `/external/endpoint/${UNIQUE_ID}/item`, etag: expect.stringMatching(/^"/) };
  const first = await send('/external/endpoint/new', idempotencyKey);
  expect(first).toEqual({ ...headers, body: { ...SHOWN, secret: SECRET }, replayed: null });
  const replay = await send('/external/endpoint/new', idempotencyKey);
  expect(replay).toEqual({ ...headers, etag: first.etag, body: SHOWN, replayed: 'true' });
  expect(await send('/external/endpoint/new')).toEqual(first);
  expect(runs).toBe(2);
  const stored = await records(acme);
  expect(stored).toMatchObject([{ status: 201, body: JSON.stringify(SHOWN) }]);
  expect(JSON.stringify(stored)).not.toContain('whsec_');
});

test('a replay of a response that has only a secret is an empty object', async () => {
  const idempotencyKey = { 'Idempotency-Key': 'rotate-1' };
  const path = '/external/endpoint/rotate';
  expect(await send(path, idempotencyKey)).toMatchObject({ status: 200, body: { secret: SECRET }, replayed: null });
  expect(await send(path, idempotencyKey)).toMatchObject({ status: 200, body: {}, replayed: 'true' });
  expect(runs).toBe(1);
});

test('the OpenAPI document requires no field that a replay leaves out', () => {
  const { paths, components } = openApiDocument(procedures);
  const schemaOf = (path: string, status: number): unknown =>
    ['post', 'responses', status, 'content', 'application/json', 'schema'].reduce<unknown>(
      (parent, name) => Reflect.get(Object(parent), name),
      paths?.[path],
    );
  expect(schemaOf('/external/endpoint/new', 201)).toEqual({ $ref: '#/components/schemas/TestEndpoint' });
  expect(components?.schemas?.['TestEndpoint']).toMatchObject({
    required: ['uniqueId', 'version', 'createdBy', 'updatedBy'],
    properties: { secret: { type: 'string' } },
  });
  expect(schemaOf('/external/endpoint/rotate', 200)).toMatchObject({ properties: { secret: { type: 'string' } } });
  expect(schemaOf('/external/endpoint/rotate', 200)).not.toHaveProperty('required');
});

test('a procedure cannot be served if its response has no such field', () => {
  const build = (secretField: string) =>
    compileRoutes(
      router({
        rotate: secretProcedure(
          {
            openapi: { method: 'POST', path: '/external/rotate', summary: 'Rotates' },
            response: { kind: 'json', secretField },
          },
          z.object({ secret }),
          { secret: SECRET },
        ),
      }),
    );
  expect(build('secret')).toMatchObject([{ response: { secretField: 'secret' } }]);
  expect(() => build('key')).toThrow('rotate: secretField must be a field of the response');
});

test('a procedure with several scopes requires each of them, and its documentation names them', async () => {
  const keyWith = async (scopes: (typeof SCOPES)[number][]) =>
    (await acme.manage.apiKey.create({ name: 'Narrow', scopes })).key;
  const path = '/external/endpoint/new';
  const lacks = (scope: string) => ({ status: 403, body: { error: `scope: the key lacks ${scope}` } });
  for (const headers of [{}, { 'Idempotency-Key': 'narrow' }]) {
    expect(await send(path, headers, await keyWith(['webhook:manage']))).toMatchObject(lacks('audit:read'));
    expect(await send(path, headers, acme.key)).toMatchObject(lacks('webhook:manage'));
  }
  expect(await send(path, {}, await keyWith(['webhook:manage', 'audit:read']))).toMatchObject({ status: 201 });
  expect(runs).toBe(1);
  expect(openApiDocument(procedures).paths?.[path]?.post?.description).toBe(
    'Creates it. Needs the scopes `webhook:manage` and `audit:read`.',
  );
});
