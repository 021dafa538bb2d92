import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onPostgreSql } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';

export const frozenDatabase: Fault<PostgreSqlStage> = {
  name: 'PostgreSQL is frozen for 8 s (SIGSTOP of all its processes)',
  on: onPostgreSql,
  rounds: 2,
  async strike({ cluster }) {
    cluster.freeze();
    await wait(8000);
    cluster.thaw();
  },
};
