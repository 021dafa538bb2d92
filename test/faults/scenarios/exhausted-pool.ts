import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { postgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';

export const exhaustedPool: Fault<PostgreSqlEnvironment> = {
  name: 'every connection waits for locks of another session, for 8 s',
  environment: postgreSqlEnvironment,
  rounds: 2,
  async inject({ cluster }) {
    await cluster.withConnection(async (client) => {
      await client.query('begin');
      await client.query('select 1 from vendor for update');
      await client.query('select 1 from task for update');
      await client.query('lock table audit_event in share row exclusive mode');
      await wait(8000);
      await client.query('rollback');
    });
  },
};
