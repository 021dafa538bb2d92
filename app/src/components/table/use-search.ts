import { useNavigate, useSearch as useRouterSearch } from '@tanstack/react-router';
import type { Search } from '../../api/search.ts';

/**
 * Filters of a page in its URL, under the API's parameter names.
 * @param names parameters of the page; others are ignored
 * @returns the values, and a function that replaces some of them and removes those that are empty
 */
export function useSearch<Name extends string>(names: readonly Name[]) {
  const parameters: Search = useRouterSearch({ strict: false });
  const navigate = useNavigate();
  const search: { [name in Name]?: string } = {};
  for (const name of names) if (parameters[name] !== undefined) search[name] = parameters[name];
  const setSearch = (changes: { [name in Name]?: string | undefined }) => {
    const next: Search = { ...search, ...changes };
    for (const name of names) if (next[name] === '') next[name] = undefined;
    // What a person chose stays where it is in the window.
    void navigate({ to: '.', search: next, replace: true, resetScroll: false });
  };
  return [search, setSearch] as const;
}
