import { useQuery } from '@tanstack/react-query';
import type { Search } from '../../api/search.ts';
import { useHidden } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';
import { FIXED_VIEWS, isSameQuery, queryOf, viewQuery, viewsQuery } from './view.ts';
import type { FixedView, ListedView, ViewPage } from './view.ts';

/** The person's views and those that others share, by name. A view whose deletion can be undone is left out. */
export function useViews() {
  const { data = [], error } = useQuery(viewsQuery);
  const hidden = useHidden();
  return { views: data.filter(({ uniqueId }) => !hidden.has(uniqueId)), error };
}

/** The saved view that a page shows, and the rights of the person. @param search parameters of the URL */
export function useCurrentView(page: ViewPage, search: Search) {
  const { views } = useViews();
  const { member, isAdmin } = useSession();
  const listed = views.find((one) => one.uniqueId === search['saved'] && one.page === page);
  const { data } = useQuery({ ...viewQuery(listed?.uniqueId ?? ''), enabled: listed !== undefined });
  const view = listed && data;
  const query = queryOf(search);
  return {
    /** Undefined until it is loaded. */
    view,
    /** True if the page shows something else than the view keeps. */
    isChanged: view !== undefined && !isSameQuery(view.query, query),
    mayChange: view !== undefined && mayChange(view, { member, isAdmin }),
    /** Heading of the page; undefined without a view. */
    title: listed?.name ?? fixedViewOf(page, search)?.name,
  };
}

/** Only the owner and admins change a view. */
const mayChange = ({ owner }: ListedView, { member, isAdmin }: { member: string; isAdmin: boolean }): boolean =>
  isAdmin || owner.uniqueId === member;

const fixedViewOf = (page: ViewPage, search: Search): FixedView | undefined =>
  search['saved'] === undefined
    ? FIXED_VIEWS.find((view) => view.page === page && isSameQuery(queryOf(view.search), queryOf(search)))
    : undefined;
