import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { trpc } from '../api/client.ts';
import { useNavigation } from './navigation.tsx';

/** Matches of one kind, and of one framework. */
const MAX_MATCHES = 5;

export interface Destination {
  /** Path of the application. */
  href: string;
  label: string;
  /** Kind of the destination: "Page", "Vendor", or the framework of a task. */
  kind: string;
}

/** Pages, vendors and tasks whose names contain a text. */
export function useDestinations(text: string): Destination[] {
  const isSearch = text !== '';
  const options = { enabled: isSearch, placeholderData: keepPreviousData };
  const { data: vendors } = useQuery(trpc.vendor.page.queryOptions({ q: text, limit: MAX_MATCHES }, options));
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions(undefined, { enabled: isSearch }));
  const tasks = useQueries({
    queries: frameworks.map(({ id }) =>
      trpc.task.list.queryOptions({ framework: id, q: text, limit: MAX_MATCHES }, options),
    ),
  });
  const pages = useNavigation()
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ to, label }) => ({ href: to, label, kind: 'Page' }));
  if (!isSearch) return pages;
  return [
    ...pages,
    ...tasks.flatMap(({ data }, index) =>
      (data?.items ?? []).map(({ uniqueId, title }) => ({
        href: `/tasks/${uniqueId}`,
        label: title,
        kind: frameworks[index]?.name ?? 'Task',
      })),
    ),
    ...(vendors?.items ?? []).map(({ uniqueId, name }) => ({
      href: `/vendors/${uniqueId}`,
      label: name,
      kind: 'Vendor',
    })),
  ];
}
