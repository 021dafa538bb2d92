import { expect, test } from 'vitest';
import { createCompany } from '../support/tenants/company.ts';
import { tamper } from '../support/database/database.ts';
import { readPages } from '../support/tenants/pages.ts';

test('a clock that is set back does not change the order of a history', async () => {
  const acme = await createCompany();
  const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud 0' });
  for (const no of [1, 2, 3]) await acme.vendor.update({ vendor, name: `Cloud ${no}` });
  // As if the clock had been 20 hours ahead, then 20 hours behind, then right.
  const events = `(select id, row_number() over (order by id) as no from audit_event where resource_id = '${vendor}') e`;
  await tamper(
    `update audit_event a set occurred_at = occurred_at + (array[0, 20, -20, 0])[e.no] * interval '1 hour'
     from ${events} where a.id = e.id`,
  );
  const pages = await Array.fromAsync(readPages((from) => acme.vendor.history({ vendor, limit: 1, ...from })));
  const names = pages.flatMap((page) => page.items.map(({ changes }) => changes?.['name']));
  expect(names.map((name) => Reflect.get(Object(name), 'to') ?? name)).toEqual([
    'Cloud 3',
    'Cloud 2',
    'Cloud 1',
    'Cloud 0',
  ]);
  const { items } = await acme.audit.list({ resourceId: vendor, since: new Date(Date.now() - 36e5).toISOString() });
  expect(items.map(({ changes }) => changes?.['name'])).toEqual([
    { from: 'Cloud 2', to: 'Cloud 3' },
    { from: 'Cloud 0', to: 'Cloud 1' },
    'Cloud 0',
  ]);
});
