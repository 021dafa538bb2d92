import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';

const inject: Fault['inject'] = async ({ service }: TestEnvironment, { random }) => {
  await wait(random.integerBelow(300));
  await service.kill();
  await service.start();
};

const name = 'kill -9 of the service, at any moment';

export const killedService: Fault<PostgreSqlEnvironment> = {
  name,
  environment: postgreSqlEnvironment,
  rounds: 4,
  inject,
};
export const killedServiceEmbedded: Fault<EmbeddedEnvironment> = {
  name,
  environment: embeddedEnvironment,
  rounds: 5,
  inject,
};
