import { byItsOwnClock } from './stage/stage.ts';
import type { Fault } from './stage/fault.ts';
import type { EmbeddedStage, PostgreSqlStage, Stage } from './stage/stage.ts';
import { checkExpiry, clockSeen, startChanging, startReading } from './time.ts';

const HOUR = 3600;
const strike: Fault['strike'] = async ({ service: { url }, clock }: Stage, { companies, found }) => {
  const [company] = companies;
  if (company === undefined) throw new Error('a clock is looked at with a company');
  const reading = await startReading(url);
  const changing = await startChanging(url);
  for (const hours of [20, -20, 0]) {
    clock.jumpTo(hours * HOUR);
    await clockSeen(url, hours * HOUR);
    await checkExpiry(url, company, hours * HOUR, found);
    await reading.next(found);
    await changing.next(found);
  }
  await reading.end(found);
  await changing.end(found);
};

const name = 'the clock of the service jumps 20 h ahead, 40 h back, and to the truth';

export const clockJumps: Fault<PostgreSqlStage> = { name, on: byItsOwnClock.PostgreSQL, rounds: 1, strike };
export const clockJumpsOfEmbedded: Fault<EmbeddedStage> = { name, on: byItsOwnClock.embedded, rounds: 1, strike };
