import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from '../api/client.ts';
import { stringifySearch } from '../api/search.ts';
import { containsText } from '../components/contains-text.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';
import type { ListedView } from '../components/views/view.ts';
import { useNavigation } from './navigation.tsx';

/** Matches of one kind. */
const MAX_MATCHES = 5;

export interface Destination {
  /** Path of the application. */
  href: string;
  label: string;
  /** Kind of the destination: "Page", "View", "Vendor", or the framework of a task. */
  kind: string;
}

const FIXED_DESTINATIONS: readonly Destination[] = FIXED_VIEWS.map(({ page, name, search }) => ({
  href: `${VIEW_PATHS[page]}${stringifySearch(search)}`,
  label: name,
  kind: 'View',
}));

const destinationOf = (view: ListedView): Destination => ({
  href: viewPath(view),
  label: view.name,
  kind: 'View',
});

/** Pages, views, vendors and tasks whose names contain a text. */
export function useDestinations(text: string): Destination[] {
  const isSearch = text !== '';
  const options = { enabled: isSearch, placeholderData: keepPreviousData };
  const { data: vendors } = useQuery(trpc.vendor.page.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions(undefined, { enabled: isSearch }));
  const { data: tasks } = useQuery(trpc.task.listAll.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { views } = useViews();
  const contains = (label: string) => containsText(label, text);
  const pages = useNavigation()
    .filter(({ label }) => contains(label))
    .map(({ to, label }) => ({ href: to, label, kind: 'Page' }));
  if (!isSearch) return pages;
  return [
    ...pages,
    ...[...FIXED_DESTINATIONS, ...views.map(destinationOf)].filter(({ label }) => contains(label)),
    ...(tasks?.items ?? []).map(({ uniqueId, title, framework }) => ({
      href: `/tasks/${uniqueId}`,
      label: title,
      kind: frameworks.find(({ id }) => id === framework)?.name ?? 'Task',
    })),
    ...(vendors?.items ?? []).map(({ uniqueId, name }) => ({
      href: `/vendors/${uniqueId}`,
      label: name,
      kind: 'Vendor',
    })),
  ];
}
