import { describe, expect, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { tamper } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';

describe('a long audit log', () => {
  test('is searched in parts of 2,000 events, of which one may have no match', async () => {
    const acme = await createCompany();
    const { uniqueId } = await acme.vendor.create({ name: 'Needle' });
    await tamper(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
       select ${acme.id}, uuid_v7(), now(), '${OPERATOR.uniqueId}', 'gap.update', 'gap', '1', '{}', 'r' from generate_series(1, 2500)`,
    );
    const first = await acme.audit.page({ q: 'needle', limit: 100 });
    expect(first.items).toEqual([]);
    const second = await acme.audit.page({ q: 'needle', limit: 100, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ resource }) => resource.uniqueId)).toEqual([uniqueId]);
  });

  test('is counted to 10,000, with the word that there are more', async () => {
    const acme = await createCompany();
    await tamper(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
       select ${acme.id}, uuid_v7(), now(), '${OPERATOR.uniqueId}', 'gap.update', 'gap', '1', '{}', 'r' from generate_series(1, 10000)`,
    );
    expect(await acme.audit.count({ resourceType: 'gap', resourceId: '1' })).toEqual({ count: 10_000, more: false });
    expect(await acme.audit.count({})).toEqual({ count: 10_000, more: true });
  });
});
