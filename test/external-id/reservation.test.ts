import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';

// PostgreSQL keeps the column `external_ids` and the table `external_id` equal, whatever statement runs.

const key = { source: 'jira', externalId: 'SEC-1' };
const acme = await createCompany();
const linked = (await acme.vendor.putByExternalId({ ...key, name: 'Linked' })).item.uniqueId;
const other = (await acme.vendor.create({ name: 'Other' })).uniqueId;

let statementCount = 0;
/** Runs SQL as the service role for the company. `$linked` and `$other` are the ids of vendors. */
async function run(text: string): Promise<unknown> {
  const statement = defineStatement(
    `test.reservation-${(statementCount += 1)}`,
    text
      .replaceAll('$linked', `'${linked}'::uuid`)
      .replaceAll('$other', `'${other}'::uuid`)
      .replaceAll('$company', String(acme.id)),
  );
  return new Session(database, operatorPrincipal(acme.id), 'reservation')
    .run(statement, {})
    .catch((error: unknown) => String(error instanceof Error && error.cause instanceof Error ? error.cause : error));
}

describe('PostgreSQL rejects', () => {
  const list = (ids: string, vendor: string) =>
    `update vendor set external_ids = '${ids}', updated_by_id = '${OPERATOR.uniqueId}' where unique_id = ${vendor}`;
  const reserve = (source: string, resource: string) =>
    `insert into external_id values ($company, 'vendor', 0, '${source}', 'b', ${resource})`;
  test.for([
    ['an id that is not reserved', list('[{"source":"a","externalId":"b"}]', '$other'), 'must be reserved'],
    ['an id of another vendor', list('[{"source":"jira","externalId":"SEC-1"}]', '$other'), 'must be reserved'],
    ['the removal of an id', list('[]', '$linked'), 'never removed'],
    ['a reservation that its vendor does not list', reserve('a', '$other'), 'must list it'],
    ['a reservation for no vendor', reserve('a', 'gen_random_uuid()'), 'must list it'],
    ['a reservation with an upper-case source', reserve('A', '$other'), 'external_id_source'],
    [
      'a reservation that moves away from its vendor',
      `update external_id set resource_id = $other where source = 'jira'`,
      'only the reservation of a deleted object may move',
    ],
    ['a deletion of the reservation of a vendor', `delete from external_id where source = 'jira'`, 'its object exists'],
  ] as const)('%s', async ([, text, error]) => {
    const before = await sql('select * from external_id where company_id = $1', acme.id);
    expect(await run(text)).toContain(error);
    expect(await sql('select * from external_id where company_id = $1', acme.id)).toEqual(before);
    expect(await acme.vendor.getByExternalId(key)).toMatchObject({ uniqueId: linked, externalIds: [key] });
    expect(await acme.vendor.get({ vendor: other })).toMatchObject({ externalIds: [] });
  });
});

test('a reservation outlives its vendor, and external ids of rows without a history of them are empty', async () => {
  const { item } = await acme.vendor.putByExternalId({ source: 'a', externalId: 'gone', name: 'Gone' });
  await acme.vendor.delete({ vendor: item.uniqueId });
  const rows = await sql('select resource_id from external_id where company_id = $1 and source = $2', acme.id, 'a');
  expect(rows).toEqual([{ resource_id: item.uniqueId }]);
  await asOwner(async (runAsOwner) => {
    await runAsOwner('alter table audit_event disable trigger audit_event_forbid');
    await runAsOwner(
      `update audit_event set changes = changes - 'external_ids' where company_id = $1::int and resource_id = $2`,
      acme.id,
      other,
    );
    await runAsOwner('alter table audit_event enable trigger audit_event_forbid');
  });
  expect(await acme.vendor.get({ vendor: other, asOf: '2999-12-31T00:00:00Z' })).toMatchObject({ externalIds: [] });
});
