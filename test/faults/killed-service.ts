import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onEmbedded, onPostgreSql } from './stage/stage.ts';
import type { EmbeddedStage, PostgreSqlStage, Stage } from './stage/stage.ts';

const strike: Fault['strike'] = async ({ service }: Stage, { chance }) => {
  await wait(chance.below(300));
  await service.kill();
  await service.start();
};

const name = 'kill -9 of the service, at any moment';

export const killedService: Fault<PostgreSqlStage> = { name, on: onPostgreSql, rounds: 4, strike };
export const killedEmbedded: Fault<EmbeddedStage> = { name, on: onEmbedded, rounds: 5, strike };
