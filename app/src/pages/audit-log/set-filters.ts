import { dateText } from '../../dates.ts';
import { nameOf } from '../../components/record/events/sentence.ts';
import { actionText, resourceText } from '../../components/record/events/words.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { toDay } from './days.ts';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import type { SetFilter } from '../../components/table/set-filters.ts';
import type { useEventFilters } from './use-events.ts';

interface SetFiltersInput extends Pick<ReturnType<typeof useEventFilters>, 'search' | 'setSearch'> {
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
  return resource === undefined ? 'one' : nameOf(resource);
}

/** The filters that are set, as people read them, each with its removal. */
export const setFilters = ({ search, setSearch, names, events }: SetFiltersInput): SetFilter[] =>
  setFiltersOf(
    [
      { parameter: 'resourceType', name: 'Resource type', textOf: resourceText },
      { parameter: 'resourceId', name: 'Resource', textOf: (id) => nameById(events, id) },
      { parameter: 'actor', name: 'Person', textOf: (id) => names.get(id) ?? id },
      { parameter: 'action', name: 'Action', textOf: actionText },
      { parameter: 'since', name: 'From', textOf: (time) => dayText(time) },
      { parameter: 'until', name: 'To', textOf: (time) => dayText(time, -1) },
    ],
    search,
    (parameter) => setSearch({ [parameter]: undefined }),
  );
