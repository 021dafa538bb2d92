import { expect, test } from 'vitest';
import { ImportRunner } from '../../procedures/import/runner.ts';
import { database } from '../support/database/database.ts';
import { http, url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';

test('a CSV file creates vendors', async () => {
  const acme = await createCompany();
  const response = await http('POST', '/external/smart-inventory/vendor/import?source=jira', {
    key: acme.key,
    headers: { 'Content-Type': 'text/csv' },
    body: 'name,description,externalId\r\nCloud Ltd,"a ""b""\nc",1\r\n,x,2\r\nOther,,3\r\n',
  });
  const runner = new ImportRunner(database);
  while (await runner.runSlice(acme.id));
  const got = await http('GET', String(response.headers.location), { key: acme.key });
  console.log(got.body);
  expect(await acme.vendor.list()).toHaveLength(2);
  for (const t of ['text/csv', 'application/x-ndjson']) {
  const r = await fetch(url + '/external/smart-inventory/vendor/list?source=jira', {headers: {'X-API-Key': acme.key, Accept: t}});
  console.log(r.status, r.headers, await r.text());
  }
  await acme.newTask({labels:['=a','b,"c']});
  const r = await fetch(url + `/external/task/framework/${acme.framework}/list?source=jira`, {headers: {'X-API-Key': acme.key, Accept: 'text/csv'}});
  console.log(r.status, r.headers, await r.text());
});
