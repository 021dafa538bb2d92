import { dateText } from '../../dates.ts';
import { nameOf } from '../../components/record/events/sentence.ts';
import { actionText, resourceText } from '../../components/record/events/words.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { toDay } from './days.ts';
import { FILTERS } from './use-events.ts';
import type { useEventFilters } from './use-events.ts';

interface ChipsInput extends Pick<ReturnType<typeof useEventFilters>, 'search' | 'setSearch'> {
  /** Names of people and keys by uniqueId. */
  names: ReadonlyMap<string, string>;
  events: readonly AuditEvent[];
}

/** The day of a time; the text of the URL if it is not a time. */
function dayText(time: string, days = 0): string {
  const day = toDay(time, days);
  return day === '' ? time : dateText(day);
}

/** Name of a resource by its id. A filter by resource has only its events. */
function nameById(events: readonly AuditEvent[], id: string): string {
  const resource = events.find((event) => event.resource.uniqueId === id)?.resource;
  return resource === undefined ? 'one resource' : nameOf(resource);
}

/** The filters that are set, each with its removal. */
export function chipsOf({ search, setSearch, names, events }: ChipsInput) {
  const texts: { [filter in (typeof FILTERS)[number]]: (value: string) => string } = {
    resourceType: (type) => `Resource type: ${resourceText(type)}`,
    resourceId: (id) => `Only ${nameById(events, id)}`,
    actor: (id) => `Person: ${names.get(id) ?? id}`,
    action: (action) => `Action: ${actionText(action)}`,
    since: (time) => `From ${dayText(time)}`,
    until: (time) => `To ${dayText(time, -1)}`,
  };
  return FILTERS.flatMap((filter) => {
    const value = search[filter];
    return value === undefined
      ? []
      : [{ label: texts[filter](value), onRemove: () => setSearch({ [filter]: undefined }) }];
  });
}
