import { MAX_TIME_ZONE_LENGTH } from '../../entities/company/company.ts';
import { textInput, textOutput } from '../../entities/fields/schemas.ts';

const EXPECTATION = 'the IANA name of a time zone such as Europe/Berlin';

/**
 * Abbreviations that `Intl` takes without being IANA names, in another meaning than people expect: `BST` is Dhaka. The
 * excepted ones are IANA names. https://github.com/unicode-org/icu/blob/main/icu4c/source/tools/tzcode/icuzones
 */
const ABBREVIATION = /^(?!(?:GMT|UCT|EST|MST|HST|CET|MET|EET|WET)$)[A-Z]{2}T$/i;

/** Returns true for an IANA name that the runtime knows. `Intl` also takes offsets, which begin with a sign. */
function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name) || ABBREVIATION.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The name of a time zone. Aliases stay as they are sent. */
export const timeZoneInput = textInput(EXPECTATION, MAX_TIME_ZONE_LENGTH)
  .refine(isTimeZone, `expected ${EXPECTATION}`)
  .meta({ description: 'IANA name of the time zone of the company', examples: ['Europe/Berlin'] });

export const timeZoneOutput = textOutput(
  MAX_TIME_ZONE_LENGTH,
  'Europe/Berlin',
  'Time zone of the company, in which its days begin: an IANA name',
);

/** The calendar date in a time zone, as `YYYY-MM-DD`, which is the format of dates in Swedish. */
export const todayIn = (timeZone: string, now = new Date()): string => now.toLocaleDateString('sv-SE', { timeZone });

/** True for a last day that is over in a time zone. Dates in this format are in the order of their text. */
export const isOver = (day: string | null, timeZone: string, now?: Date): boolean =>
  day !== null && day < todayIn(timeZone, now);

/** Date and time on the clocks of a time zone, as if it were UTC. `sv-SE` writes them as ISO 8601. */
export const clockOf = (time: Date, timeZone: string): number =>
  Date.parse(`${time.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);

/** The time at which clocks of a time zone show a date and time. The second step is for a change of the clocks in between. */
export function timeAt(clock: number, timeZone: string): Date {
  let time = clock;
  for (let step = 0; step < 2; step++) time = clock - (clockOf(new Date(time), timeZone) - time);
  return new Date(time);
}

/** The first moment of a day in a time zone. Where the clocks skip midnight, it is the moment at which they do. */
export function startOfDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(day);
  const time = timeAt(midnight, timeZone);
  return new Date(time.getTime() + Math.max(0, midnight - clockOf(time, timeZone)));
}
