import { PROTOCOL_POINTS } from './points.ts';
import type { Fault } from './stage/fault.ts';
import { proxiedPostgreSqlEnvironment } from './stage/stage.ts';
import type { PostgreSqlEnvironment } from './stage/stage.ts';
import { waitForPoint } from './stage/wire.ts';

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
