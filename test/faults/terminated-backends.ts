import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onPostgreSql } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';

export const terminatedBackends: Fault<PostgreSqlStage> = {
  name: 'pg_terminate_backend of every connection, 30 times in 3 s',
  on: onPostgreSql,
  rounds: 2,
  async strike({ cluster }) {
    let terminated = 0;
    for (let time = 0; time < 30; time++) {
      terminated += await cluster.terminateBackends();
      await wait(100);
    }
    if (terminated === 0) throw new Error('no connection was there to end');
  },
};
