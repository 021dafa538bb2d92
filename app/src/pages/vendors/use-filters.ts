import { evidenceFilterOf } from '../../components/evidence/filter.ts';
import { membersOf } from '../../components/person/member-filter.ts';
import { knownValue } from '../../components/table/options.ts';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { CONTRACT_OPTIONS, REVIEW_OPTIONS, VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import type { VendorQuery } from '../../components/vendor/choices.ts';
import { VIEW_PARAMETERS } from '../../components/views/view.ts';

type Sort = NonNullable<VendorQuery['sort']>;

const FILTERS = ['q', 'status', 'criticality', 'owner', 'label', 'review', 'contract', 'evidence'] as const;
const NAMES = [...FILTERS, 'sort', ...VIEW_PARAMETERS] as const;

/** The orders as people read them. The first one is that of a list that nobody sorted. */
export const SORT_OPTIONS: readonly { value: Sort; label: string }[] = [
  { value: 'name', label: 'By name' },
  { value: 'criticality', label: 'Critical first' },
  { value: 'nextReview', label: 'Next review first' },
  { value: '-createdAt', label: 'Newest first' },
  { value: '-updatedAt', label: 'Last updated first' },
];
export const DEFAULT_SORT: Sort = 'name';

export type FilterName = (typeof FILTERS)[number];
export type FilterValues = { [Name in (typeof NAMES)[number]]?: string };
export type SetFilters = (changes: { [Name in (typeof NAMES)[number]]?: string | undefined }) => void;

/** Removes all filters. The order and the columns stay. */
export const NO_FILTERS: { [Name in FilterName]?: undefined } = Object.fromEntries(
  FILTERS.map((name) => [name, undefined]),
);

/** Filters of the page in the URL, as the input of the list. */
export function useFilters() {
  const [search, setSearch] = useSearch(NAMES);
  const { member } = useSession();
  const { q, status, criticality, owner, label, review, contract, evidence, sort } = search;
  const filters: VendorQuery = {
    ...(q !== undefined && { q }),
    ...(criticality !== undefined && { criticality }),
    ...(owner !== undefined && { owner: membersOf(owner, member) }),
    ...(label !== undefined && { label }),
    status: VENDOR_STATUSES.find((one) => one === status),
    review: knownValue(REVIEW_OPTIONS, review),
    contract: knownValue(CONTRACT_OPTIONS, contract),
    evidence: evidenceFilterOf(evidence),
    sort: knownValue(SORT_OPTIONS, sort) ?? DEFAULT_SORT,
  };
  return { values: search, setValues: setSearch, filters };
}
