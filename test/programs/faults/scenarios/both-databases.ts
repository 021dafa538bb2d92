import { setTimeout as wait } from 'node:timers/promises';
import { CONNECTION_REFUSED } from '../../../support/http/client.ts';
import { startFaultyProxy } from '../../../support/servers/faulty-proxy.ts';
import { checkKeyExpiry, startPaging, startUpdating, waitForClock } from '../checks/clock-checks.ts';
import type { EnvironmentFactory, TestEnvironment } from '../environment/environment.ts';
import type { Fault } from '../runner/fault.ts';

/** Maximum time until the process ends. */
const SHUTDOWN_TIMEOUT_MS = 10_000;
const HOUR_SECONDS = 3600;

/** Faults of the service and its clients. @param kills rounds of the kill at any moment */
export const serviceFaults = <S extends TestEnvironment>(
  environment: EnvironmentFactory<S>,
  kills: number,
): Fault<S>[] => [
  { name: 'no fault (baseline)', environment, rounds: 1, inject: () => wait(1000) },
  {
    name: 'responses are lost after COMMIT',
    environment,
    rounds: 2,
    async inject({ service }, { random, routeThrough }) {
      const proxy = await startFaultyProxy(service.url, () => (random.next() < 0.3 ? 'lost' : 'none'));
      routeThrough(proxy.url);
      await wait(2000);
      routeThrough(undefined);
      await wait(500); // Requests through the proxy end meanwhile.
      proxy.stop();
    },
  },
  {
    name: 'SIGTERM under load: no request is broken, exit 0 within 10 s',
    environment,
    rounds: 2,
    async inject({ service }, { report, load }) {
      const start = performance.now();
      const exit = await service.stop();
      const durationMs = performance.now() - start;
      if (exit !== 0) report(`SIGTERM ended with ${exit}`);
      if (durationMs > SHUTDOWN_TIMEOUT_MS) report(`SIGTERM took ${Math.round(durationMs)} ms`);
      // A running request must get its response. A later one gets ECONNREFUSED before it is sent.
      for (const { operationId, status } of load.withoutResponse)
        if (status !== CONNECTION_REFUSED) report(`${operationId} was broken: ${status}`);
      await service.start();
    },
  },
  {
    name: 'kill -9 of the service, at any moment',
    environment,
    rounds: kills,
    async inject({ service }, { random }) {
      await wait(random.integerBelow(300));
      await service.kill();
      await service.start();
    },
  },
];

/** @param environment one with a fake clock */
export const clockJumps = <S extends TestEnvironment>(environment: EnvironmentFactory<S>): Fault<S> => ({
  name: 'the clock of the service jumps 20 h ahead, 40 h back, and to the real time',
  environment,
  rounds: 1,
  async inject({ service: { url }, clock }, { companies, report }) {
    const [company] = companies;
    if (company === undefined) throw new Error('the fault needs a company');
    const paging = await startPaging(url);
    const updating = await startUpdating(url);
    for (const hours of [20, -20, 0]) {
      clock.jumpTo(hours * HOUR_SECONDS);
      await waitForClock(url, hours * HOUR_SECONDS);
      await checkKeyExpiry(url, company, hours * HOUR_SECONDS, report);
      await paging.next(report);
      await updating.next(report);
    }
    await paging.end(report);
    await updating.end(report);
  },
});
