import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { proxiedPostgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';

export const cutConnections: Fault<PostgreSqlEnvironment> = {
  name: 'the connections to PostgreSQL are reset, 20 times in 2 s',
  environment: proxiedPostgreSqlEnvironment,
  rounds: 2,
  async inject({ proxy: wire }, { random: chance }) {
    for (let time = 0; time < 20; time++) {
      wire.resetConnections();
      await wait(chance.integerBelow(200));
    }
  },
};

export const silentConnections: Fault<PostgreSqlEnvironment> = {
  name: 'the connections to PostgreSQL stall for 8 s',
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ proxy: wire }) {
    wire.pause();
    await wait(8000);
    wire.resume();
  },
};
