import type { Deprecation } from '../../procedures/core/declaration/meta.ts';

/** Minimum number of days from the deprecation of an operation to its removal: docs/versioning.md. */
const MIN_NOTICE_DAYS = 180;

/**
 * Builds the headers that announce a removal: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
 * @throws Error if a date is invalid, or if the sunset comes before the end of the notice period
 */
export function deprecationHeaders(procedure: string, { since, sunset }: Deprecation): Record<string, string> {
  const deprecatedAt = parseDay(procedure, since);
  const headers = { Deprecation: `@${deprecatedAt.getTime() / 1000}` };
  if (sunset === undefined) return headers;
  const sunsetAt = parseDay(procedure, sunset);
  if (sunsetAt.getTime() - deprecatedAt.getTime() < MIN_NOTICE_DAYS * 86_400_000) {
    throw new Error(`${procedure}: expected sunset at least ${MIN_NOTICE_DAYS} days after ${since}`);
  }
  return { ...headers, Sunset: sunsetAt.toUTCString() };
}

function parseDay(procedure: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new Error(`${procedure}: expected a date as YYYY-MM-DD, not ${text}`);
  }
  return day;
}
