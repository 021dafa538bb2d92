import { setTimeout as wait } from 'node:timers/promises';
import { POINTS } from './points.ts';
import type { Fault } from './stage/fault.ts';
import { onPostgreSql, overTheWire } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';
import { reached } from './stage/wire.ts';

export const killedDatabase: Fault<PostgreSqlStage> = {
  name: 'kill -9 of PostgreSQL, started again after a second',
  on: onPostgreSql,
  rounds: 3,
  async strike({ cluster }, { chance }) {
    await wait(chance.below(200));
    await cluster.kill();
    await wait(1000);
    await cluster.start();
  },
};

export const killedBackend: Fault<PostgreSqlStage> = {
  name: 'kill -9 of one process of PostgreSQL, which recovers by itself',
  on: onPostgreSql,
  rounds: 2,
  async strike({ cluster }) {
    await cluster.killBackend();
    await wait(200); // until it has noticed
    await cluster.start();
  },
};

export const killedAtCommit: Fault<PostgreSqlStage>[] = POINTS.filter(({ name }) => name.includes('COMMIT')).map(
  (point) => ({
    name: `kill -9 of PostgreSQL ${point.name}`,
    on: overTheWire,
    rounds: 1,
    async strike({ cluster, wire }) {
      let dead: Promise<void> | undefined;
      await reached(
        wire.at(point, () => {
          dead = cluster.kill();
          wire.cut();
        }),
      );
      await dead;
      await cluster.start();
    },
  }),
);
