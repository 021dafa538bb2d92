import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment } from '../environment/environment.ts';

const inject = () => wait(1000);
const name = 'no fault (baseline)';

export const baseline: Fault<PostgreSqlEnvironment> = { name, environment: postgreSqlEnvironment, rounds: 1, inject };
export const baselineEmbedded: Fault<EmbeddedEnvironment> = {
  name,
  environment: embeddedEnvironment,
  rounds: 1,
  inject,
};
