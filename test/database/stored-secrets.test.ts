import { expect, test } from 'vitest';
import { asOwner } from '../support/database/database.ts';
import { findStoredSecrets } from '../support/database/stored-secrets.ts';
import { createCompany } from '../support/tenants/company.ts';

test('the check after each test file finds a raw key that was written since the last check', async () => {
  const acme = await createCompany();
  const { uniqueId } = await acme.vendor.create({ name: 'Cloud' });
  const key = `svc_sk_live_${'a'.repeat(46)}`;
  const rollback = new Error('rollback');
  let found: { place: string; row: string }[] = [];
  const work = asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    await run('update vendor set name = $2 where unique_id = $1', uniqueId, key);
    found = await findStoredSecrets(run);
    throw rollback;
  });
  await expect(work).rejects.toBe(rollback);
  expect(found).toEqual([{ place: 'vendor', row: expect.stringContaining(key) as string }]);
  expect(await asOwner(findStoredSecrets)).toEqual([]);
});
