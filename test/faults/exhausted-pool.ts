import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onPostgreSql } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';

export const exhaustedPool: Fault<PostgreSqlStage> = {
  name: 'every connection waits for locks of another session, for 8 s',
  on: onPostgreSql,
  rounds: 2,
  async strike({ cluster }) {
    await cluster.session(async (other) => {
      await other.query('begin');
      await other.query('select 1 from vendor for update');
      await other.query('select 1 from task for update');
      await other.query('lock table audit_event in share row exclusive mode');
      await wait(8000);
      await other.query('rollback');
    });
  },
};
