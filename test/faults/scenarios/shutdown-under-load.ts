import { CONNECTION_REFUSED } from '../workload/http-client.ts';
import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment, postgreSqlEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';

/** Milliseconds in which it is gone. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

const inject: Fault['inject'] = async ({ service }: TestEnvironment, { report: found, load }) => {
  const start = performance.now();
  const exit = await service.stop();
  const durationMs = performance.now() - start;
  if (exit !== 0) found(`SIGTERM ended with ${exit}`);
  if (durationMs > SHUTDOWN_TIMEOUT_MS) found(`SIGTERM took ${Math.round(durationMs)} ms`);
  // Nobody may have been cut off: who came too late found the door closed, before anything was asked.
  for (const { operationId: op, status } of load.withoutResponse)
    if (status !== CONNECTION_REFUSED) found(`${op} was cut off: ${status}`);
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
