import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { postgreSqlEnvironment } from './stage/stage.ts';
import type { PostgreSqlEnvironment } from './stage/stage.ts';

export const frozenDatabase: Fault<PostgreSqlEnvironment> = {
  name: 'PostgreSQL is frozen for 8 s (SIGSTOP of all its processes)',
  environment: postgreSqlEnvironment,
  rounds: 2,
  async inject({ cluster }) {
    cluster.freeze();
    await wait(8000);
    cluster.thaw();
  },
};
