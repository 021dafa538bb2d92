import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { client, trpc } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';

// Names of vendors that events mention. Events have only their ids, and the list of all vendors may be long.

/** Undefined while a name loads. */
let names: ReadonlyMap<string, string | undefined> = new Map();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const keep = (vendor: string, name: string | undefined) => {
  names = new Map([...names, [vendor, name]]);
};

/** Reads the name of a vendor, archived ones too; undefined for a deleted one. */
async function readVendorName(vendor: string, signal?: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.vendor.get.query({ vendor }, { ...(signal && { signal }) })).name;
  } catch (error) {
    if (errorDetails(error).status === 404) return undefined;
    throw error;
  }
}

async function load(vendor: string): Promise<void> {
  try {
    keep(vendor, (await readVendorName(vendor)) ?? 'a deleted vendor');
    listeners.forEach((listener) => listener());
  } catch {
    // Without the name the sentence is complete. The next page that mentions the vendor tries again.
    names = new Map([...names].filter(([uniqueId]) => uniqueId !== vendor));
  }
}

/** The name of a vendor. Loads one that is unknown; all that a page needs are one request. */
function vendorName(vendor: string): string | undefined {
  if (!names.has(vendor)) {
    keep(vendor, undefined);
    void load(vendor);
  }
  return names.get(vendor);
}

/** A function that finds the names of vendors. The component renders again when names have loaded. */
export function useVendorName(): (vendor: string) => string | undefined {
  useSyncExternalStore(subscribe, () => names);
  return vendorName;
}

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

const DELAY_MS = 200;
/** Vendors that a list offers at once. A person types to find others. */
const MAX_OFFERED = 20;

/** Vendors whose names have what a person types, found by the server. Nothing is loaded before the field has the focus. */
export function useVendorSearch() {
  const [isUsed, setIsUsed] = useState(false);
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), DELAY_MS);
  const input = { limit: MAX_OFFERED, ...(q !== '' && { q }) };
  const { data } = useQuery(
    trpc.vendor.page.queryOptions(input, { enabled: isUsed, placeholderData: keepPreviousData }),
  );
  return {
    found: (data?.items ?? []).map(({ uniqueId, name, status }) => ({
      value: uniqueId,
      label: status === 'archived' ? `${name} (archived)` : name,
    })),
    isLoaded: data !== undefined,
    text,
    setText,
    use: () => setIsUsed(true),
  };
}

/** Options without a second one of the same vendor. */
export const withoutRepeats = <Option extends { value: string }>(options: readonly Option[]): Option[] =>
  options.filter(({ value }, index) => options.findIndex((one) => one.value === value) === index);
