import { parseSearch, stringifySearch } from '../../api/search.ts';
import type { Search } from '../../api/search.ts';
import { trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';

/** A saved view of a list. */
export type View = Outputs['view']['get'];
/** The same without its query. */
export type ListedView = Outputs['view']['names'][number];
export type ViewPage = View['page'];

/** Path of the page of a view. */
export const VIEW_PATHS = { tasks: '/tasks', vendors: '/vendors', audit: '/audit-log' } as const satisfies Record<
  ViewPage,
  string
>;

/** Parameters of the URL beside filters: the uniqueId of the view that is shown, and its columns. */
export const VIEW_PARAMETERS = ['saved', 'columns'] as const;

/** A view that everybody has. */
export interface FixedView {
  page: ViewPage;
  name: string;
  search: Readonly<Record<string, string>>;
}

/** The open tasks of the person who reads, the next ones first. */
export const MY_TASKS = {
  page: 'tasks',
  name: 'My tasks',
  search: { assignee: 'me', status: 'open', sort: 'dueDate' },
} as const satisfies FixedView;

/** Vendors with the next review within 30 days, the next ones first. */
export const REVIEWS_DUE = {
  page: 'vendors',
  name: 'Reviews due',
  search: { review: 'month', sort: 'nextReview' },
} as const satisfies FixedView;

/** Vendors whose next review is past, the oldest first. */
export const OVERDUE_REVIEWS = {
  page: 'vendors',
  name: 'Overdue reviews',
  search: { review: 'overdue', sort: 'nextReview' },
} as const satisfies FixedView;

export const FIXED_VIEWS: readonly FixedView[] = [MY_TASKS, REVIEWS_DUE, OVERDUE_REVIEWS];

export const viewsQuery = trpc.view.names.queryOptions();
export const viewQuery = (uniqueId: string) => trpc.view.get.queryOptions({ uniqueId });

/** Path that leads to the page of a view, with its filters: a list of views does not have them. */
export const viewPath = ({ uniqueId }: Pick<View, 'uniqueId'>): string => `/views/${uniqueId}`;

/** Parameters of the URL that show a view. */
export const searchOf = ({ uniqueId, query }: Pick<View, 'uniqueId' | 'query'>): Search => ({
  ...parseSearch(query),
  saved: uniqueId,
});

/** The query string that a view keeps, without the view itself. */
export const queryOf = ({ saved: _saved, ...parameters }: Search): string => stringifySearch(parameters).slice(1);

/** True if two query strings have the same parameters, in any order. */
export const isSameQuery = (one: string, other: string): boolean => sorted(one) === sorted(other);

function sorted(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}

/** "“Overdue”": the name of a view in a sentence. */
export const quoted = ({ name }: Pick<View, 'name'>): string => `“${name}”`;
