import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import type { Deprecation } from '../../procedures/core/declaration/meta.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import { compileRoutes } from '../../server/rest/routes.ts';
import { startRest } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';

const defineOperation = (path: `/${string}`, deprecated?: Deprecation) =>
  companyProcedure('vendor:read')
    .meta({ openapi: { method: 'GET', path, summary: path }, ...(deprecated && { deprecated }) })
    .input(z.strictObject({}).optional())
    .output(z.strictObject({ fine: z.boolean() }))
    .query(() => ({ fine: true }));

/** Test operations, because no operation of the service is deprecated. */
const operations = router({
  today: defineOperation('/external/today'),
  old: defineOperation('/external/old', { since: '2026-03-01' }),
  ending: defineOperation('/external/ending', { since: '2026-03-01', sunset: '2027-01-01' }),
});

const { url, stop } = await startRest(operations);
afterAll(stop);
const { key } = await createCompany();

const fetchDeprecation = async (path: string) => {
  const { status, headers } = await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } });
  return { status, deprecation: headers.get('Deprecation'), sunset: headers.get('Sunset') };
};

test('a deprecated operation returns Deprecation, and Sunset if the date of its removal is known', async () => {
  expect(await fetchDeprecation('/external/old')).toEqual({ status: 200, deprecation: '@1772323200', sunset: null });
  expect(await fetchDeprecation('/external/ending')).toEqual({
    status: 200,
    deprecation: '@1772323200',
    sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
  });
});

test('errors of a deprecated operation have the headers, and other operations do not', async () => {
  expect(await fetchDeprecation('/external/old?x=1')).toMatchObject({ status: 400, deprecation: '@1772323200' });
  expect(await fetchDeprecation('/external/today')).toEqual({ status: 200, deprecation: null, sunset: null });
});

test('the OpenAPI document marks deprecated operations', () => {
  const { paths } = openApiDocument(operations);
  expect(paths?.['/external/today']?.get).not.toHaveProperty('deprecated');
  expect(paths?.['/external/old']?.get).toMatchObject({
    deprecated: true,
    responses: { 200: { headers: { Deprecation: {} } } },
  });
  expect(paths?.['/external/ending']?.get).toMatchObject({
    deprecated: true,
    responses: { 200: { headers: { Deprecation: {}, Sunset: {} } }, 400: { headers: { Deprecation: {}, Sunset: {} } } },
  });
});

test.for([
  [{ since: '2026-03-01', sunset: '2026-08-27' }, /180 days/],
  [{ since: '2026-02-30' }, /expected a date as YYYY-MM-DD/],
  [{ since: 'soon' }, /expected a date as YYYY-MM-DD/],
  [{ since: '2026-03-01', sunset: '2027' }, /expected a date as YYYY-MM-DD/],
] as const)('compiling the routes rejects %o', ([deprecated, message]) => {
  expect(() => compileRoutes(router({ old: defineOperation('/external/old', deprecated) }))).toThrow(message);
});
