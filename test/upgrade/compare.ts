import type { ServiceResponse } from './scenario/client.ts';

/** Fields that a request itself changes. */
const VOLATILE_FIELDS = new Set(['lastUsedAt', 'seenAt']);
/** Emails in events of versions before 0.7.0, which responses leave out since. */
const EMAIL_IN_EVENT = /\.changes\.email$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;

/**
 * Describes how a response differs from the recorded one. New fields are not a difference, and the last page of the feed may have
 * grown. Times after the record, such as the end of a session, have moved with the clock.
 * @param hasNames false accepts the uniqueId of a user as its name in an event: no record of its identity has been made yet
 */
export function differences(
  recorded: ServiceResponse,
  actual: ServiceResponse,
  recordedAt: string,
  { hasNames = false }: { hasNames?: boolean } = {},
): string[] {
  const isLastPage = isObject(recorded.body) && recorded.body['more'] === false;

  function compare(path: string, before: unknown, after: unknown): string[] {
    if (Array.isArray(before) && Array.isArray(after)) {
      const mayGrow = isLastPage && path === 'response.body.items' && after.length > before.length;
      const lengths =
        mayGrow || before.length === after.length ? [] : [`${path}: ${before.length} and ${after.length} items`];
      return [...lengths, ...before.flatMap((item, index) => compare(`${path}.${index}`, item, after[index]))];
    }
    if (isObject(before) && isObject(after))
      return Object.entries(before).flatMap(([field, value]) =>
        VOLATILE_FIELDS.has(field) || (!hasNames && field === 'name' && isWithoutName(after))
          ? []
          : compare(`${path}.${field}`, value, after[field]),
      );
    // A cell of a CSV file may hold an object.
    if (isJsonObject(before) && isJsonObject(after))
      return before === after ? [] : compare(path, parseJson(before), parseJson(after));
    if (isLastPage && path === 'response.body.cursor') return [];
    if (EMAIL_IN_EVENT.test(path) && after === undefined) return [];
    if (isAfter(before, recordedAt) && isAfter(after, recordedAt)) return [];
    return Object.is(before, after) ? [] : [`${path}: ${JSON.stringify(before)} and ${JSON.stringify(after)}`];
  }

  return compare('response', recorded, actual);
}

const isWithoutName = ({ uniqueId, name }: Record<string, unknown>) => uniqueId !== undefined && name === uniqueId;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isJsonObject = (value: unknown): value is string => typeof value === 'string' && /^\{".*\}$/s.test(value);
const parseJson = (text: string): unknown => JSON.parse(text);

const isAfter = (value: unknown, time: string) => typeof value === 'string' && TIMESTAMP.test(value) && value > time;
