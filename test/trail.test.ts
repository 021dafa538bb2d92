import { expect, test } from 'vitest';
import { company } from './support/company.ts';
import { sql } from './support/database.ts';

test('smoke', async () => {
  const acme = await company();
  await acme.vendor.create({ name: 'x' });
  console.log(await acme.manage.audit.verify({}));
  console.log(await acme.manage.audit.verify({}));
  console.log(await sql('select * from audit_horizon where company_id=$1', acme.id));
  console.log(await sql('select audit_text(e, 1) from audit_event e where company_id=$1', acme.id));
  expect(1).toBe(1);
});
