import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { readVendorName } from './names.ts';

const STALE_MS = 60_000;

export interface VendorName {
  uniqueId: string;
  /** Undefined until it is loaded. */
  name: string | undefined;
}

/** Names of vendors, in the order of their ids. Those of archived vendors too. */
export function useVendorNames(uniqueIds: readonly string[]): VendorName[] {
  const { data = [] } = useQuery({
    queryKey: [...trpc.vendor.get.pathKey(), 'names', uniqueIds],
    queryFn: ({ signal }) => Promise.all(uniqueIds.map((vendor) => readName(vendor, signal))),
    enabled: uniqueIds.length > 0,
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
  });
  return uniqueIds.map((uniqueId) => data.find((one) => one.uniqueId === uniqueId) ?? { uniqueId, name: undefined });
}

const readName = async (uniqueId: string, signal: AbortSignal): Promise<VendorName> => ({
  uniqueId,
  name: (await readVendorName(uniqueId, signal)) ?? 'Deleted vendor',
});
