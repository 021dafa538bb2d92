import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';

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

async function readName(vendor: string, signal: AbortSignal): Promise<VendorName> {
  try {
    const { name } = await client.vendor.get.query({ vendor }, { signal });
    return { uniqueId: vendor, name };
  } catch (error) {
    if (errorDetails(error).status === 404) return { uniqueId: vendor, name: 'Deleted vendor' };
    throw error;
  }
}
