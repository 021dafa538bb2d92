import { describe, expect, test } from 'vitest';
import { createCompany } from '../../support/tenants/company.ts';
import { database } from '../../support/database/database.ts';

const { embedded } = database;

describe.skipIf(embedded === undefined)('the embedded database', () => {
  const query = <Row>(text: string) => embedded?.owner.transaction((run) => run<Row>(text)) ?? [];
  const analyze = async () => (await embedded?.maintenance.analyze()) ?? [];

  test('analyzes a table that has changed much, and one that it never analyzed', async () => {
    await expect.poll(analyze, { timeout: 120_000 }).toEqual([]);
    const acme = await createCompany();
    const createVendors = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => acme.vendor.create({ name: `Vendor ${index}` })));
    const [before] = await query<{ rows: number }>('select count(*)::int as rows from vendor');
    await createVendors(60 + Math.ceil((before?.rows ?? 0) / 5));
    // PostgreSQL counts changes about a second after them.
    await expect.poll(analyze, { timeout: 120_000 }).toContain('vendor');
    const [statistics] = await query<{ rows: number; counted: number }>(
      `select reltuples::int as rows, (select count(*)::int from vendor) as counted from pg_class where relname = 'vendor'`,
    );
    expect(statistics?.rows).toBe(statistics?.counted);
    await createVendors(1);
    expect(await analyze()).not.toContain('vendor');
  });

  test('writes a checkpoint when its log has become long', async () => {
    await embedded?.maintenance.writeCheckpoint();
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(false);
    await query(`select pg_logical_emit_message(false, 'test', repeat('x', 9000000))`);
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(true);
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(false);
  });
});
