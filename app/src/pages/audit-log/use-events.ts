import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { RESOURCES } from '../../components/record/events/words.ts';
import { useSearch } from '../../components/table/use-search.ts';
import { VIEW_PARAMETERS } from '../../components/views/view.ts';

type EventQuery = Extract<Inputs['audit']['page'], object>;
export type EventFilters = Pick<EventQuery, (typeof FILTERS)[number]>;

export const PAGE_SIZE = 100;
export const FILTERS = ['resourceType', 'resourceId', 'actor', 'action', 'since', 'until'] as const;

export const RESOURCE_TYPES = RESOURCES.map(({ type }) => type);

/** Filters of the URL, and a function that changes them. */
export function useEventFilters() {
  const [search, setSearch] = useSearch([...FILTERS, ...VIEW_PARAMETERS]);
  const { resourceType, saved: _saved, columns: _columns, ...texts } = search;
  const type = RESOURCE_TYPES.find((one) => one === resourceType);
  const filters: EventFilters = { ...texts, ...(type !== undefined && { resourceType: type }) };
  return { search, setSearch, filters };
}

/** Pages of events, newest first. */
export const useEvents = (filters: EventFilters) =>
  useInfiniteQuery({
    ...pagesOptions(trpc.audit.page.queryKey(filters), (position, options) =>
      client.audit.page.query({ ...filters, limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
  });
