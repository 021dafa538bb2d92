import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '../../support/servers/faulty-proxy.ts';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';

const inject: Fault['inject'] = async ({ service }: TestEnvironment, { random, routeThrough }) => {
  const proxy = await startFaultyProxy(service.url, () => (random.next() < 0.3 ? 'lost' : 'none'));
  routeThrough(proxy.url);
  await wait(2000);
  routeThrough(undefined);
  await wait(500); // Requests through the proxy end meanwhile.
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
