import { withFakeClock } from '../environment/environment.ts';
import type { Fault } from '../runner/fault.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';
import { checkKeyExpiry, waitForClock, startUpdating, startPaging } from '../checks/clock-checks.ts';

const HOUR_SECONDS = 3600;
const inject: Fault['inject'] = async ({ service: { url }, clock }: TestEnvironment, { companies, report: found }) => {
  const [company] = companies;
  if (company === undefined) throw new Error('a clock is looked at with a company');
  const reading = await startPaging(url);
  const changing = await startUpdating(url);
  for (const hours of [20, -20, 0]) {
    clock.jumpTo(hours * HOUR_SECONDS);
    await waitForClock(url, hours * HOUR_SECONDS);
    await checkKeyExpiry(url, company, hours * HOUR_SECONDS, found);
    await reading.next(found);
    await changing.next(found);
  }
  await reading.end(found);
  await changing.end(found);
};

const name = 'the clock of the service jumps 20 h ahead, 40 h back, and to the truth';

export const clockJumps: Fault<PostgreSqlEnvironment> = {
  name,
  environment: withFakeClock.PostgreSQL,
  rounds: 1,
  inject,
};
export const clockJumpsEmbedded: Fault<EmbeddedEnvironment> = {
  name,
  environment: withFakeClock.embedded,
  rounds: 1,
  inject,
};
