import { CONNECTION_REFUSED } from '../../support/http/client.ts';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';

/** Maximum time until the process ends. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

const inject: Fault['inject'] = async ({ service }: TestEnvironment, { report, load }) => {
  const start = performance.now();
  const exit = await service.stop();
  const durationMs = performance.now() - start;
  if (exit !== 0) report(`SIGTERM ended with ${exit}`);
  if (durationMs > SHUTDOWN_TIMEOUT_MS) report(`SIGTERM took ${Math.round(durationMs)} ms`);
  // A running request must get its response. A later one gets ECONNREFUSED before it is sent.
  for (const { operationId, status } of load.withoutResponse)
    if (status !== CONNECTION_REFUSED) report(`${operationId} was broken: ${status}`);
  await service.start();
};

const name = 'SIGTERM under load: no request is broken, exit 0 within 10 s';

export const shutdownUnderLoad: Fault<PostgreSqlEnvironment> = {
  name,
  environment: postgreSqlEnvironment,
  rounds: 2,
  inject,
};
export const shutdownUnderLoadEmbedded: Fault<EmbeddedEnvironment> = {
  name,
  environment: embeddedEnvironment,
  rounds: 2,
  inject,
};
