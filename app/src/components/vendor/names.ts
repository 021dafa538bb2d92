import { useSyncExternalStore } from 'react';
import { client } from '../../api/client.ts';
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
export async function readVendorName(vendor: string, signal?: AbortSignal): Promise<string | undefined> {
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
