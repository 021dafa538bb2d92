import { REFUSED } from './stage/ask.ts';
import type { Fault } from './stage/fault.ts';
import { onEmbedded, onPostgreSql } from './stage/stage.ts';
import type { EmbeddedStage, PostgreSqlStage, Stage } from './stage/stage.ts';

/** Milliseconds in which it is gone. */
const GONE = 10_000;

const strike: Fault['strike'] = async ({ service }: Stage, { found, load }) => {
  const start = performance.now();
  const exit = await service.stop();
  const took = performance.now() - start;
  if (exit !== 0) found(`SIGTERM ended with ${exit}`);
  if (took > GONE) found(`SIGTERM took ${Math.round(took)} ms`);
  // Nobody may have been cut off: who came too late found the door closed, before anything was asked.
  for (const { op, status } of load.unanswered) if (status !== REFUSED) found(`${op} was cut off: ${status}`);
  await service.start();
};

const name = 'SIGTERM under load: no request is broken, exit 0 within 10 s';

export const stoppedUnderLoad: Fault<PostgreSqlStage> = { name, on: onPostgreSql, rounds: 2, strike };
export const stoppedEmbedded: Fault<EmbeddedStage> = { name, on: onEmbedded, rounds: 2, strike };
