import { describe, expect, onTestFinished, test } from 'vitest';
import { database } from '../../support/database/database.ts';

const { embedded } = database;

describe.skipIf(embedded === undefined)('the embedded database', () => {
  const query = <Row>(text: string) => embedded?.owner.transaction((run) => run<Row>(text)) ?? [];
  const analyze = async () => (await embedded?.maintenance.analyze()) ?? [];

  test('analyzes a table that has changed much, and one that it never analyzed', async () => {
    // A table of its own: others have as many rows as the tests before made.
    await query('create table maintained (id int)');
    onTestFinished(async () => void (await query('drop table maintained')));
    const insert = (count: number) => query(`insert into maintained select generate_series(1, ${count})`);
    await insert(1);
    // PostgreSQL counts changes about a second after them.
    await expect.poll(analyze, { timeout: 120_000 }).toContain('maintained');
    await insert(1000);
    await expect.poll(analyze, { timeout: 120_000 }).toContain('maintained');
    const [statistics] = await query<{ rows: number }>(
      `select reltuples::int as rows from pg_class where relname = 'maintained'`,
    );
    expect(statistics?.rows).toBe(1001);
    await insert(10);
    await expect
      .poll(
        () => query(`select n_mod_since_analyze::int as changed from pg_stat_user_tables where relname = 'maintained'`),
        { timeout: 120_000 },
      )
      .toEqual([{ changed: 10 }]);
    expect(await analyze()).not.toContain('maintained');
  });

  test('writes a checkpoint when its log has become long', async () => {
    await embedded?.maintenance.writeCheckpoint();
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(false);
    await query(`select pg_logical_emit_message(false, 'test', repeat('x', 9000000))`);
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(true);
    expect(await embedded?.maintenance.writeCheckpoint()).toBe(false);
  });
});
