import { useQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Found } from '../record/linked.tsx';
import { nameStore, useTypedSearch } from '../record/name-store.ts';

/** Names of vendors, archived ones too. */
export const vendorNames = nameStore({
  noun: 'vendor',
  key: trpc.vendor.get.pathKey(),
  read: async (vendor, options) => (await client.vendor.get.query({ vendor }, options)).name,
});

/** Vendors whose names have what a person types. */
export function useVendorSearch(): Found {
  const { input, options, ...typed } = useTypedSearch();
  const { data } = useQuery(trpc.vendor.page.queryOptions(input, options));
  return {
    ...typed,
    found: (data?.items ?? []).map(({ uniqueId, name, status }) => ({
      value: uniqueId,
      label: status === 'archived' ? `${name} (archived)` : name,
    })),
    isLoaded: data !== undefined,
  };
}
