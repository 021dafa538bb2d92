import type { Maintenance } from '../driver.ts';
import type { SuperuserQuery } from './superuser.ts';

/** A table is analyzed when this many rows, and this share of them, have changed, as autovacuum does it by default. */
const CHANGED_ROWS = 50;
const CHANGED_SHARE = 0.1;
/** Rows of a sample are 300 times as many. The default, 100, keeps the connection for three times as long. */
const STATISTICS_TARGET = 30;
/** Bytes of the write-ahead log after which a checkpoint is written. A start replays them. */
const CHECKPOINT_BYTES = 8 * 1024 * 1024;

/**
 * Does the work of the background processes of PostgreSQL, which PGlite does not have: without statistics the planner guesses, and without
 * checkpoints the log grows until a start has to replay all of it. Each step is a short statement, and requests run between them.
 */
export const maintenance = (query: SuperuserQuery): Maintenance => ({
  async analyze() {
    const changed = await query<{ name: string }>(
      `select relname as name from pg_stat_user_tables where schemaname = 'public'
        and n_mod_since_analyze > case when last_analyze is null then 0 else ${CHANGED_ROWS} + ${CHANGED_SHARE} * n_live_tup end
      order by 1`,
    );
    for (const { name } of changed)
      await query(`set local default_statistics_target = ${STATISTICS_TARGET}; analyze "${name}"`);
    return changed.map(({ name }) => name);
  },
  async writeCheckpoint() {
    const [log] = await query<{ bytes: number }>(
      'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()',
    );
    if (log === undefined || log.bytes < CHECKPOINT_BYTES) return false;
    await query('checkpoint');
    return true;
  },
});
