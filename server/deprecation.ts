import type { Deprecation } from '../procedures/trpc.ts';

/** Days that an operation stays after it was deprecated, at least: docs/versioning.md. */
const NOTICE = 180;

/**
 * The headers that announce it: `Deprecation` of RFC 9745 and `Sunset` of RFC 8594.
 * @throws Error when a day is none, or there are fewer days between the two than are promised
 */
export function noticesOf(procedure: string, { since, sunset }: Deprecation): Record<string, string> {
  const from = dayOf(procedure, since);
  const notices = { Deprecation: `@${from.getTime() / 1000}` };
  if (sunset === undefined) return notices;
  const until = dayOf(procedure, sunset);
  if (until.getTime() - from.getTime() < NOTICE * 86_400_000) {
    throw new Error(`${procedure}: it may be gone ${NOTICE} days after ${since} and no sooner`);
  }
  return { ...notices, Sunset: until.toUTCString() };
}

function dayOf(procedure: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new Error(`${procedure}: ${text} is no day`);
  }
  return day;
}
