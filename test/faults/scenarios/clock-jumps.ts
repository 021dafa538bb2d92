import { withFakeClock } from '../environment/environment.ts';
import type { Fault } from '../runner/fault.ts';
import type { EmbeddedEnvironment, PostgreSqlEnvironment, TestEnvironment } from '../environment/environment.ts';
import { checkKeyExpiry, waitForClock, startUpdating, startPaging } from '../checks/clock-checks.ts';

const HOUR_SECONDS = 3600;
const inject: Fault['inject'] = async ({ service: { url }, clock }: TestEnvironment, { companies, report }) => {
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
};

const name = 'the clock of the service jumps 20 h ahead, 40 h back, and to the real time';

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
