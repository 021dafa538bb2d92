import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './stage/fault.ts';
import { overTheWire } from './stage/stage.ts';
import type { PostgreSqlStage } from './stage/stage.ts';

export const cutWire: Fault<PostgreSqlStage> = {
  name: 'the wire to PostgreSQL is cut, 20 times in 2 s',
  on: overTheWire,
  rounds: 2,
  async strike({ wire }, { chance }) {
    for (let time = 0; time < 20; time++) {
      wire.cut();
      await wait(chance.below(200));
    }
  },
};

export const silentWire: Fault<PostgreSqlStage> = {
  name: 'the wire to PostgreSQL is silent for 8 s',
  on: overTheWire,
  rounds: 1,
  async strike({ wire }) {
    wire.silence();
    await wait(8000);
    wire.speak();
  },
};
