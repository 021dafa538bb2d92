import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { postgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';

export const terminatedBackends: Fault<PostgreSqlEnvironment> = {
  name: 'pg_terminate_backend of every connection, 30 times in 3 s',
  environment: postgreSqlEnvironment,
  rounds: 2,
  async inject({ cluster }) {
    let terminated = 0;
    for (let count = 0; count < 30; count++) {
      terminated += await cluster.terminateBackends();
      await wait(100);
    }
    if (terminated === 0) throw new Error('the service had no connection to terminate');
  },
};
