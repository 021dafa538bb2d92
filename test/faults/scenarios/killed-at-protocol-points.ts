import { PROTOCOL_POINTS } from '../environment/protocol-points.ts';
import type { Fault } from '../runner/fault.ts';
import { proxiedPostgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';
import { waitForPoint } from '../environment/protocol-proxy.ts';

/** Kills the service at each protocol point. */
export const killedAtProtocolPoints: Fault<PostgreSqlEnvironment>[] = PROTOCOL_POINTS.map((point) => ({
  name: `kill -9 of the service ${point.name}`,
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ service, proxy }) {
    await waitForPoint(proxy.onPoint(point, () => service.killImmediately()));
    await service.kill();
    await service.start();
  },
}));

/** Resets the connections to PostgreSQL at each protocol point. The service keeps running. */
export const cutAtProtocolPoints: Fault<PostgreSqlEnvironment>[] = PROTOCOL_POINTS.map((point) => ({
  name: `the connection is reset ${point.name}`,
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ proxy }) {
    await waitForPoint(proxy.onPoint(point, () => proxy.resetConnections()));
  },
}));
