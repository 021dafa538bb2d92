import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { postgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';

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
