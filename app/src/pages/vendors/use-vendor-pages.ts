import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { useHidden } from '../../components/undo/undo.ts';
import type { VendorQuery } from '../../components/vendor/choices.ts';
import type { ListedVendor } from './columns.tsx';

const PAGE_SIZE = 100;
/** Milliseconds for which "Back" finds the loaded pages again. */
const KEPT_MS = 3_600_000;

/** Pages of vendors with all their fields, with the total of all. */
export function useVendorPages(filters: VendorQuery) {
  const query = useInfiniteQuery({
    ...pagesOptions(trpc.vendor.page.queryKey(filters), (position, options) =>
      client.vendor.page.query({ ...filters, view: 'full', limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });
  const { data, hasNextPage, fetchNextPage } = query;
  const hidden = useHidden();
  const loaded = data?.pages.flatMap(({ items }) => items).filter((item) => isWhole(item)) ?? [];
  const vendors = loaded.filter(({ uniqueId }) => !hidden.has(uniqueId));
  const total = data?.pages[0]?.total;
  return {
    ...query,
    vendors: data === undefined ? undefined : vendors,
    total: total === undefined ? undefined : total - (loaded.length - vendors.length),
    /** Loads the next page; undefined if there is none. */
    loadMore: hasNextPage ? () => void fetchNextPage() : undefined,
  };
}

/** True for every item of the view `full`. */
const isWhole = (item: object): item is ListedVendor => 'nextReview' in item;
