import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { nameOf, resourceOf } from '../../components/record/events/sentence.ts';
import { actionText, RESOURCES, resourceText } from '../../components/record/events/words.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { dayFilter, linked, oneOf, oneReference, searchFilter } from '../../components/table/filters.tsx';
import type { Filters } from '../../components/table/filters.tsx';
import { useSession } from '../../components/use-session.ts';
import { dateText } from '../../dates.ts';
import { endOfDay, startOfDay, toDay } from './days.ts';

/** Filters of the events. */
export type EventFilters = Omit<Extract<Inputs['audit']['page'], object>, 'limit' | 'cursor' | 'parent'>;

export const PAGE_SIZE = 100;

type EventPage = Outputs['audit']['page'];

/** Pages of events, newest first. A search reads a part of the log for each page, and goes on until one has an event. */
export const useEvents = (filters: EventFilters) =>
  useInfiniteQuery({
    ...pagesOptions<EventPage>(trpc.audit.page.queryKey(filters), async (position, options) => {
      const read = (from: { cursor?: string }) =>
        client.audit.page.query({ ...filters, limit: PAGE_SIZE, ...from }, options);
      let page = await read(position);
      // oxlint-disable-next-line no-await-in-loop -- a page begins where the one before it ends
      while (page.items.length === 0 && page.nextCursor !== null) page = await read({ cursor: page.nextCursor });
      return page;
    }),
    placeholderData: keepPreviousData,
  });

/** The day of a time; the text of the URL if it is not a time. */
function dayText(time: string, days = 0): string {
  const date = toDay(time, days);
  return date === '' ? time : dateText(date);
}

/** Name of a resource by its id. A filter by resource has only its events. */
function nameById(events: readonly AuditEvent[], id: string): string {
  const event = events.find(({ resource }) => resource.uniqueId === id);
  return event === undefined ? 'one' : nameOf(resourceOf(event));
}

interface Choices {
  /** Events that are shown, whose users can be chosen. */
  events: readonly AuditEvent[];
  /** People and keys by uniqueId. */
  names: ReadonlyMap<string, string>;
  /** Type of the URL, to which the actions are limited. */
  resourceType: string | undefined;
}

const NO_CHOICES: Choices = { events: [], names: new Map(), resourceType: undefined };

const ACTIONS = RESOURCES.flatMap(({ type, verbs }) => verbs.map((verb) => `${type}.${verb}`));

/** The filters of the audit log. */
export const eventFilters = ({ events, names, resourceType }: Choices = NO_CHOICES): Filters<EventFilters> => ({
  q: searchFilter('Search the audit log'),
  resourceType: {
    ...oneOf(
      'Resource type',
      'Any resource type',
      RESOURCES.map(({ type }) => ({ value: type, label: resourceText(type) })),
    ),
    width: 160,
    resets: 'action',
  },
  resourceId: linked('Resource', (id) => nameById(events, id)),
  actor: {
    ...oneReference(
      'Person',
      'Any person',
      [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label)),
    ),
    width: 170,
  },
  action: {
    ...oneReference(
      'Action',
      'Any action',
      ACTIONS.filter((action) => resourceType === undefined || action.startsWith(`${resourceType}.`)).map((value) => ({
        value,
        label: actionText(value),
      })),
    ),
    width: 170,
    textOf: actionText,
  },
  since: { ...dayFilter('From', { textOf: (time) => dayText(time), toDay, fromDay: startOfDay }), width: 176 },
  until: {
    ...dayFilter('To', {
      textOf: (time) => dayText(time, -1),
      toDay: (time) => toDay(time, -1),
      fromDay: endOfDay,
    }),
    width: 160,
  },
});

/** People and keys that can be chosen: those of the settings, if the role may read them, and those of the shown events. */
export function useActorNames(events: readonly AuditEvent[], current: string | undefined): ReadonlyMap<string, string> {
  const enabled = useSession().canReadManagement;
  const members = useQuery({ ...trpc.management.member.list.queryOptions(), enabled }).data ?? [];
  const keys = useQuery({ ...trpc.management.apiKey.list.queryOptions(), enabled }).data ?? [];
  const users = [...members, ...keys.map(({ user }) => user), ...events.map(({ actor }) => actor)];
  const names = new Map(users.map(({ uniqueId, name }) => [uniqueId, name]));
  if (current !== undefined && !names.has(current)) names.set(current, 'Another user');
  return names;
}
