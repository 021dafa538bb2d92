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

async function load(vendor: string): Promise<void> {
  try {
    keep(vendor, (await client.vendor.get.query({ vendor })).name);
  } catch (error) {
    if (errorDetails(error).status !== 404) return;
    keep(vendor, 'a deleted vendor');
  }
  listeners.forEach((listener) => listener());
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
