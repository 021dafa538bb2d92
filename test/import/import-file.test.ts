import { expect, test } from 'vitest';
import { ImportRunner } from '../../procedures/import/runner.ts';
import { database } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

test('a CSV file creates vendors', async () => {
  const acme = await createCompany();
  const response = await http('POST', '/external/smart-inventory/vendor/import', {
    key: acme.key,
    headers: { 'Content-Type': 'text/csv' },
    body: 'name,description\r\nCloud Ltd,"a ""b""\nc"\r\n,x\r\nOther,\r\n',
  });
  console.log(response.status, response.text, response.headers);
  const runner = new ImportRunner(database);
  while (await runner.runSlice(acme.id));
  const got = await http('GET', String(response.headers.location), { key: acme.key });
  console.log(got.body);
  expect(await acme.vendor.list()).toHaveLength(2);
});
