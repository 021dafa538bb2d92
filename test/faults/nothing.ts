import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from './stage/stage.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment } from './stage/stage.ts';

const inject = () => wait(1000);
const name = 'no fault (baseline)';

export const baseline: Fault<PostgreSqlEnvironment> = { name, environment: postgreSqlEnvironment, rounds: 1, inject };
export const baselineEmbedded: Fault<EmbeddedEnvironment> = { name, environment: embeddedEnvironment, rounds: 1, inject };
