import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { proxiedPostgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';

export const cutConnections: Fault<PostgreSqlEnvironment> = {
  name: 'the connections to PostgreSQL are reset, 20 times in 2 s',
  environment: proxiedPostgreSqlEnvironment,
  rounds: 2,
  async inject({ proxy }, { random }) {
    for (let count = 0; count < 20; count++) {
      proxy.resetConnections();
      await wait(random.integerBelow(200));
    }
  },
};

export const silentConnections: Fault<PostgreSqlEnvironment> = {
  name: 'the connections to PostgreSQL stall for 8 s',
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ proxy }) {
    proxy.pause();
    await wait(8000);
    proxy.resume();
  },
};
