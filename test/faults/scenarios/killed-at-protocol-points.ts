import { PROTOCOL_POINTS } from '../environment/protocol-points.ts';
import type { Fault } from '../runner/fault.ts';
import { proxiedPostgreSqlEnvironment } from '../environment/environment.ts';
import type { PostgreSqlEnvironment } from '../environment/environment.ts';
import { waitForPoint } from '../environment/protocol-proxy.ts';

/** kill -9 of the service at each named point. */
export const killedAtProtocolPoints: Fault<PostgreSqlEnvironment>[] = PROTOCOL_POINTS.map((point) => ({
  name: `kill -9 of the service ${point.name}`,
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ service, proxy: wire }) {
    await waitForPoint(wire.onPoint(point, () => service.killImmediately()));
    await service.kill();
    await service.start();
  },
}));

/** The line is cut at each named point, and the service goes on. */
export const cutAtProtocolPoints: Fault<PostgreSqlEnvironment>[] = PROTOCOL_POINTS.map((point) => ({
  name: `the connection is reset ${point.name}`,
  environment: proxiedPostgreSqlEnvironment,
  rounds: 1,
  async inject({ proxy: wire }) {
    await waitForPoint(wire.onPoint(point, () => wire.resetConnections()));
  },
}));
