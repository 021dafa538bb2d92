import { setTimeout as wait } from 'node:timers/promises';
import { faultyProxy } from '../support/faulty-proxy.ts';
import type { Fault } from './stage/fault.ts';
import { onEmbedded, onPostgreSql } from './stage/stage.ts';
import type { EmbeddedStage, PostgreSqlStage, Stage } from './stage/stage.ts';

const strike: Fault['strike'] = async ({ service }: Stage, { chance, through }) => {
  const door = await faultyProxy(service.url, () => (chance.next() < 0.3 ? 'lost' : 'none'));
  through(door.url);
  await wait(2000);
  through(undefined);
  await wait(500); // until what went through that door has come back
  door.stop();
};

const name = 'answers are lost on their way, after COMMIT';

export const lostAnswers: Fault<PostgreSqlStage> = { name, on: onPostgreSql, rounds: 2, strike };
export const lostAnswersOfEmbedded: Fault<EmbeddedStage> = { name, on: onEmbedded, rounds: 2, strike };
