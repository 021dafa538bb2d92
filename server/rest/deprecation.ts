import type { Deprecation } from '../../procedures/core/trpc.ts';

/** Days that an operation stays after it was deprecated, at least: docs/versioning.md. */
const MIN_NOTICE_DAYS = 180;

/**
 * The headers that announce it: `Deprecation` of RFC 9745 and `Sunset` of RFC 8594.
 * @throws Error when a day is none, or there are fewer days between the two than are promised
 */
export function deprecationHeaders(procedure: string, { since, sunset }: Deprecation): Record<string, string> {
  const deprecatedAt = parseDay(procedure, since);
  const headers = { Deprecation: `@${deprecatedAt.getTime() / 1000}` };
  if (sunset === undefined) return headers;
  const sunsetAt = parseDay(procedure, sunset);
  if (sunsetAt.getTime() - deprecatedAt.getTime() < MIN_NOTICE_DAYS * 86_400_000) {
    throw new Error(`${procedure}: it may be gone ${MIN_NOTICE_DAYS} days after ${since} and no sooner`);
  }
  return { ...headers, Sunset: sunsetAt.toUTCString() };
}

function parseDay(procedure: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new Error(`${procedure}: ${text} is no day`);
  }
  return day;
}
