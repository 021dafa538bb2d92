import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '../../support/servers/faulty-proxy.ts';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';

const inject: Fault['inject'] = async ({ service }: TestEnvironment, { random: chance, routeThrough: through }) => {
  const proxy = await startFaultyProxy(service.url, () => (chance.next() < 0.3 ? 'lost' : 'none'));
  through(proxy.url);
  await wait(2000);
  through(undefined);
  await wait(500); // until what went through that door has come back
  proxy.stop();
};

const name = 'responses are lost after COMMIT';

export const lostResponses: Fault<PostgreSqlEnvironment> = {
  name,
  environment: postgreSqlEnvironment,
  rounds: 2,
  inject,
};
export const lostResponsesEmbedded: Fault<EmbeddedEnvironment> = {
  name,
  environment: embeddedEnvironment,
  rounds: 2,
  inject,
};
