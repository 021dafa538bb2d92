import { expect, test } from 'vitest';
import { erasePlan } from '../../database/erase/plan.ts';
import { OTHER_CELL, moveAway } from '../support/cells/moved.ts';
import { sql } from '../support/database/database.ts';
import { begin, eraseCompany } from '../support/database/erase.ts';
import { runJob } from '../support/database/jobs.ts';
import { makeObjects, targetOf } from '../support/fixtures/objects.ts';
import { openTestStorage } from '../support/storage/evidence-files.ts';
import { createCompany, operator } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { createPeople } from '../support/tenants/people.ts';
import { storedRows } from '../support/tenants/samples.ts';
import { sealAll } from '../support/tenants/webhooks.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

// Contract, section 26: the copy of a company that was moved away is erased without a close.

const storage = await openTestStorage(await temporaryFolder());

/** Runs the job that names the companies that were moved away. @returns the fields of its lines about a company */
async function reported({ id }: { id: number }): Promise<object[]> {
  const lines = await runJob('report-moved-companies');
  return lines
    .filter(([, line]) => line === 'company: was moved away and is not erased')
    .map(([fields]) => Object(fields) as object)
    .filter((fields) => Reflect.get(fields, 'company') === id);
}

test('an erase removes every row and file of a company that was moved away, and keeps its head', async () => {
  const acme = await createCompany('Acme');
  const { member } = await createPeople(acme, 'Person of Acme');
  await makeObjects(await targetOf(acme));
  const rival = await createCompany('Rival');
  const shared = await createMember(rival, { email: `shared-${acme.id}@example.com` });
  await createMember(acme, { email: `shared-${acme.id}@example.com` });
  await sealAll(acme);
  await expect(begin(acme, 'Acme')).rejects.toThrow('is not closed; close it first');
  await moveAway(acme);
  await sealAll(acme);
  expect(await reported(acme)).toEqual([{ company: acme.id, movedTo: OTHER_CELL, since: expect.any(String) }]);
  expect(await sql('select 1 from file where company_id = $1', acme.id)).not.toEqual([]);
  const ofRival = await storedRows(rival);
  const [head] = await sql(
    `select seq::float8 as sequence, encode(hash, 'hex') as hash from audit_seal where company_id = $1 order by seq desc limit 1`,
    acme.id,
  );
  await expect(begin(acme, 'Acm')).rejects.toThrow('name: ');
  const erased = await eraseCompany(acme, 'Acme', storage);
  expect(erased['file']).toBeGreaterThan(0);
  for (const { name } of (await erasePlan()).tables)
    expect([name, await sql(`select 1 from ${name} where company_id = $1`, acme.id)]).toEqual([name, []]);
  expect((await operator.company.list()).find(({ id }) => id === acme.id)).toEqual({
    id: acme.id,
    erasedAt: expect.any(String),
    ...head,
  });
  const persons = await sql<{ id: string }>('select unique_id as id from person where unique_id = any($1::uuid[])', [
    member.person,
    shared.person,
  ]);
  expect(persons).toEqual([{ id: shared.person }]);
  expect(await storedRows(rival)).toEqual(ofRival);
  expect(await reported(acme)).toEqual([]);
});

test('an erase of a company that was moved away is final: it is not opened, and cannot be closed', async () => {
  const acme = await createCompany('Acme');
  await moveAway(acme);
  const { company } = acme.manage;
  for (const attempt of [() => company.close({ name: 'Acme' }), () => company.reopen({})])
    await expect(attempt()).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(OTHER_CELL) });
  await begin(acme, 'Acme');
  await expect(company.reopen({})).rejects.toThrow('is being erased');
  expect(await sql('select closed_at from company where id = $1', acme.id)).toEqual([{ closed_at: null }]);
});

test('the copy stays until the other cell serves the company, because only this one can hand it over', async () => {
  const acme = await createCompany('Acme');
  await moveAway(acme, { state: 'switched' });
  await expect(begin(acme, 'Acme')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('run company move again'),
  });
  await moveAway(acme);
  expect((await eraseCompany(acme, 'Acme', storage))['company']).toBe(1);
});

test('a company that is here is not reported', async () => {
  const acme = await createCompany('Acme');
  expect(await reported(acme)).toEqual([]);
});
