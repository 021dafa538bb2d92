import { POINTS } from './points.ts';
import type { Fault } from './stage/fault.ts';
import { overTheWire } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';
import { reached } from './stage/wire.ts';

/** kill -9 of the service at each named point. */
export const killedAtPoints: Fault<PostgreSqlStage>[] = POINTS.map((point) => ({
  name: `kill -9 of the service ${point.name}`,
  on: overTheWire,
  rounds: 1,
  async strike({ service, wire }) {
    await reached(wire.at(point, () => service.strike()));
    await service.kill();
    await service.start();
  },
}));

/** The line is cut at each named point, and the service goes on. */
export const cutAtPoints: Fault<PostgreSqlStage>[] = POINTS.map((point) => ({
  name: `the wire is cut ${point.name}`,
  on: overTheWire,
  rounds: 1,
  async strike({ wire }) {
    await reached(wire.at(point, () => wire.cut()));
  },
}));
