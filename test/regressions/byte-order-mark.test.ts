import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { Vendor } from '../../entities/vendor/vendor.ts';
import { createCompany } from '../support/tenants/company.ts';
import { database, sql } from '../support/database/database.ts';
import { http } from '../support/http/server.ts';

// `TextDecoder` drops U+FEFF at the beginning of text as a byte order mark, unless `ignoreBOM` is set.
const BYTE_ORDER_MARK = '\uFEFF';
const TEXTS = [
  `${BYTE_ORDER_MARK}plain`,
  `${BYTE_ORDER_MARK}${BYTE_ORDER_MARK}twice`,
  BYTE_ORDER_MARK,
  `in${BYTE_ORDER_MARK}side`,
  `${BYTE_ORDER_MARK}<p>HTML</p>`,
];

const acme = await createCompany();

describe.for(TEXTS)('text with U+FEFF comes back as sent: %j,', (description) => {
  test('from every read of a vendor', async () => {
    const created = await acme.vendor.create({ name: `${BYTE_ORDER_MARK} Cloud Ltd`, description });
    expect(created).toMatchObject({ name: 'Cloud Ltd', description });
    const { uniqueId: vendor } = created;
    expect(await acme.vendor.get({ vendor })).toMatchObject({ description });
    const asOf = created.createdAt;
    expect(await acme.vendor.get({ vendor, asOf })).toMatchObject({ description });
    const { items } = await acme.vendor.history({ vendor });
    expect(items[0]?.changes).toMatchObject({ description });
    const session = new Session(database, operatorPrincipal(acme.id), 'test');
    const stored = await session.inUnitOfWork((em) => em.findOneOrFail(Vendor, { uniqueId: vendor }));
    expect(stored.description).toBe(description);
    expect(await sql('select description from vendor where unique_id = $1::uuid', vendor)).toEqual([{ description }]);
  });

  test('from every read of a task', async () => {
    const label = `a${BYTE_ORDER_MARK}b`;
    const { uniqueId: taskUniqueId } = await acme.newTask({ labels: [label] });
    await acme.task.update({ taskUniqueId, description });
    expect(await acme.task.get({ taskUniqueId })).toMatchObject({ description, labels: [label] });
    const { items } = await acme.task.list({ framework: acme.framework, limit: 1 });
    expect(items?.[0]).toMatchObject({ description });
    const history = await acme.task.history({ taskUniqueId });
    expect(history.items[0]?.changes).toEqual({ description: { from: '', to: description } });
  });

  test('from REST, and from a repeated request with an Idempotency-Key', async () => {
    const send = () =>
      http('POST', '/external/smart-inventory/vendor/new', {
        key: acme.key,
        body: { name: 'Cloud Ltd', description },
        headers: { 'Idempotency-Key': `mark ${TEXTS.indexOf(description)}` },
      });
    const first = await send();
    expect(first).toMatchObject({ status: 201, body: { description } });
    expect((await send()).body).toEqual(first.body);
  });
});

test('each value of each row keeps U+FEFF, null and empty text', async () => {
  const rows = await sql(
    `select i, case i % 3 when 0 then U&'\\FEFFx' when 1 then '' end as one, U&'\\FEFF' as other, U&'y\\FEFF' as last
     from generate_series(0, 5000) i order by i`,
  );
  expect(rows).toEqual(
    Array.from({ length: 5001 }, (_, i) => ({
      i,
      one: [`${BYTE_ORDER_MARK}x`, '', null][i % 3],
      other: BYTE_ORDER_MARK,
      last: `y${BYTE_ORDER_MARK}`,
    })),
  );
});
