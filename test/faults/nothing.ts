import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { onEmbedded, onPostgreSql } from './stage/stage.ts';
import type { EmbeddedStage, PostgreSqlStage } from './stage/stage.ts';

const strike = () => wait(1000);
const name = 'nothing, for comparison';

export const nothing: Fault<PostgreSqlStage> = { name, on: onPostgreSql, rounds: 1, strike };
export const nothingOfEmbedded: Fault<EmbeddedStage> = { name, on: onEmbedded, rounds: 1, strike };
