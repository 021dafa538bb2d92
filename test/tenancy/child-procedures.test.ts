import { MikroORM, defineEntity } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ormOptions } from '../../database/orm/options.ts';
import { belongsTo, person, references } from '../../entities/fields/references.ts';
import { name } from '../../entities/fields/text.ts';
import { date, oneOf } from '../../entities/fields/values.ts';
import { notBefore } from '../../entities/fields/rules.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { entities } from '../../entities/index.ts';
import { resourceTriggers } from '../../entities/schema/access.ts';
import { defineResource } from '../../entities/schema/resource.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../../entities/schema/tenancy.ts';
import { Vendor, vendorResource } from '../../entities/vendor/vendor.ts';
import { router } from '../../procedures/core/trpc.ts';
import { childProcedures } from '../../procedures/parent/child-procedures.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import { asOwner, sql } from '../support/database/database.ts';
import { startRest } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

// The procedures that derive from the declaration of a resource. The guide adds one with a migration, events and a page.

const STATES = ['open', 'answered'] as const;

const inquiryResource = defineResource({
  type: 'inquiry',
  name: 'title',
  access: { of: { vendor: vendorResource }, max: 3 },
  created: { vendor: belongsTo(Vendor, 'vendor') },
  fields: {
    title: name({ description: 'What is asked', example: 'Where is the data?' }),
    state: oneOf(STATES, { description: 'State' }).default('open'),
    owner: person('owner', { description: 'Member who asks', id: 'An active member' }),
    askedOn: date({ description: 'Day of the question' }).nullable(),
    answeredOn: date({ description: 'Day of the answer' }).nullable(),
    departments: references('department', 2, { description: 'Departments', id: 'A department' }),
  },
  people: { owner: 'ownerId' },
  filters: ['state'],
  rules: [notBefore('answeredOn', 'askedOn')],
});
const inquirySchema = defineEntity({
  name: 'Inquiry',
  properties: { ...companyKeyWithoutForeignKey, ...inquiryResource.properties },
  ...tenantIsolation(),
  checks: inquiryResource.checks,
  triggers: resourceTriggers(inquiryResource),
});
const words = {
  noun: 'inquiry',
  plural: 'inquiries',
  tag: 'Vendors',
  description: 'A question',
  example: newUniqueId(),
};
const procedures = router({ inquiry: router(childProcedures(inquiryResource, words)) });

let acme: TestCompany;
let rest: Awaited<ReturnType<typeof startRest>>;
let base: string;
beforeAll(async () => {
  // never connected
  const clientUrl = 'postgresql://127.0.0.1:1/none';
  const orm = await MikroORM.init({ ...ormOptions, entities: [...entities, inquirySchema], clientUrl });
  const schema = await orm.schema.getCreateSchemaSQL({ wrap: false });
  await orm.close();
  await asOwner(async (run) => {
    for (const statement of schema.split(/;\n/).filter((one) => /\binquiry(_\w+)?\b/.test(one))) await run(statement);
    await run('grant select, insert, update, delete on inquiry to public');
  });
  rest = await startRest(procedures);
  acme = await createCompany();
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud Ltd' });
  base = `/external/smart-inventory/vendor/${uniqueId}/inquiry`;
});
// Other tests of this worker check every table of the database.
afterAll(async () => {
  await rest.stop();
  await sql('drop table inquiry');
});

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = { method, headers: { 'X-API-Key': acme.key, 'Content-Type': 'application/json', ...headers } };
  const response = await fetch(
    `${rest.url}${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  );
  const text = await response.text();
  const { status } = response;
  return {
    status,
    etag: response.headers.get('ETag') ?? '',
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}
const newInquiry = async (fields: object = {}) => {
  const sent = await send('POST', `${base}/new`, { title: 'Where is the data?', ...fields });
  const uniqueId = String(Reflect.get(Object(sent.body), 'uniqueId'));
  return { ...sent, uniqueId, path: (end: string) => `/external/inquiry/${uniqueId}/${end}` };
};
const error = (text: string) => ({ error: text });

test('an object is created, read, changed and deleted, and has an entity tag', async () => {
  const { status, etag, body, path } = await newInquiry();
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { resource: { type: 'vendor' }, title: 'Where is the data?', state: 'open', owner: null, version: 1 },
  });
  expect(body).not.toHaveProperty('ownerId');
  expect(await send('GET', path('item'))).toEqual({ status: 200, etag, body });
  const changed = await send('PATCH', path('edit'), { state: 'answered' }, { 'If-Match': etag });
  expect(changed).toMatchObject({ status: 200, body: { state: 'answered', version: 2 } });
  expect(await send('PATCH', path('edit'), { title: 'x' }, { 'If-Match': etag })).toMatchObject({ status: 412 });
  expect(await send('DELETE', path('delete'), undefined, { 'If-Match': etag })).toMatchObject({ status: 412 });
  expect(await send('DELETE', path('delete'), undefined, { 'If-Match': changed.etag })).toMatchObject({ status: 204 });
  expect(await send('GET', path('item'))).toMatchObject({ status: 404, body: error('inquiry: not found') });
});

test('a list has the objects of one parent, oldest first, and its filters and cursor hold together', async () => {
  const all = [await newInquiry(), await newInquiry({ state: 'answered' }), await newInquiry({ title: 'Third' })];
  const list = async (query: string) => {
    const { body } = await send('GET', `${base}/list?${query}`);
    const { items, nextCursor }: { items: { uniqueId: string }[]; nextCursor: string | null } = Object(body);
    return { ids: items.map(({ uniqueId }) => uniqueId), nextCursor };
  };
  const [first = '', second = '', third = ''] = all.map(({ uniqueId }) => uniqueId);
  expect(await list('')).toEqual({ ids: [first, second, third], nextCursor: null });
  expect(await list('state=open')).toEqual({ ids: [first, third], nextCursor: null });
  expect(await list('state=open,answered&limit=100')).toMatchObject({ ids: [first, second, third] });
  const { nextCursor } = await list('state=open&limit=1');
  expect(await list(`state=open&limit=1&cursor=${nextCursor}`)).toEqual({ ids: [third], nextCursor: null });
  expect(await send('GET', `${base}/list?cursor=${nextCursor}`)).toMatchObject({ status: 400 });
  expect(await send('GET', `${base}/list?state=other`)).toMatchObject({
    status: 400,
    body: error('state: expected one or more of open, answered, separated by commas'),
  });
  expect(await newInquiry()).toMatchObject({ status: 422, body: error('inquiry: expected at most 3 for a vendor') });
  for (const { path } of all) await send('DELETE', path('delete'));
});

test.each([
  [{ title: ' ' }, 400, 'title: expected text of 1 to 255 characters'],
  [{ state: 'other' }, 400, 'state: expected one of open, answered'],
  [{ owner: null }, 400, 'owner: unknown field; did you mean ownerId?'],
  [{ version: 2 }, 400, 'version: unknown field; it is read-only'],
  [{ ownerId: newUniqueId() }, 422, 'ownerId: expected an active member'],
  [{ departments: [1, 1] }, 422, 'departments: expected each id once'],
  [{ departments: [1, 2, 3] }, 422, 'departments: expected at most 2'],
  [{ askedOn: '2026-02-01', answeredOn: '2026-01-31' }, 422, 'answeredOn: 2026-01-31 is before askedOn 2026-02-01'],
])('the fields %o are an error that names the field, and nothing is written', async (fields, status, message) => {
  expect(await newInquiry(fields)).toMatchObject({ status, body: error(message) });
  const { path, etag } = await newInquiry();
  expect(await send('PATCH', path('edit'), fields)).toMatchObject({ status, body: error(message) });
  expect(await send('GET', path('item'))).toMatchObject({ etag });
  await send('DELETE', path('delete'));
});

test('a rule over several fields holds for the object after a change', async () => {
  const { path } = await newInquiry({ askedOn: '2026-02-01' });
  expect(await send('PATCH', path('edit'), { answeredOn: '2026-01-31' })).toMatchObject({ status: 422 });
  expect(await send('PATCH', path('edit'), { answeredOn: '2026-02-01' })).toMatchObject({ status: 200 });
  await send('DELETE', path('delete'));
});

test('a parent that does not exist is 404', async () => {
  const path = base.replace(/vendor\/[^/]+/, `vendor/${newUniqueId()}`);
  const notFound = { status: 404, body: error('vendor: not found') };
  for (const departments of [[], [1, 1]])
    expect(await send('POST', `${path}/new`, { title: 'x', departments })).toMatchObject(notFound);
  expect(await send('GET', `${path}/list`)).toMatchObject(notFound);
});

test('the document has the operations, and the type of the parent', () => {
  const { paths, components } = openApiDocument(procedures);
  const operations = Object.values(paths ?? {}).flatMap((path) =>
    Object.values(path).flatMap((operation: unknown) => String(Reflect.get(Object(operation), 'operationId'))),
  );
  expect(operations.toSorted()).toEqual([
    'createInquiry',
    'deleteInquiry',
    'getInquiry',
    'getInquiryHistory',
    'listInquiries',
    'updateInquiry',
  ]);
  expect(components?.schemas?.['Inquiry']).toMatchObject({
    properties: { resource: { properties: { type: { enum: ['vendor'] } } }, owner: expect.anything() },
  });
});
