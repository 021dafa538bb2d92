import { useSearch } from './table/use-search.ts';

/** Tells whether something had happened at the time that the page shows, or until now. */
export function useAsOf(): (time: string) => boolean {
  const [{ asOf }] = useSearch(['asOf']);
  return (time) => asOf === undefined || Date.parse(time) <= Date.parse(asOf);
}
