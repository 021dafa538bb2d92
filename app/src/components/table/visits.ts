import type { ParsedLocation } from '@tanstack/react-router';

/** Address of each entry of the history of this window. */
const entries = new Map<number, string>();
/** Last address of each page. */
const addresses = new Map<string, string>();

/** Remembers a visit of a page. */
export function rememberVisit({ pathname, href, state }: ParsedLocation): void {
  entries.set(state.__TSR_index, href);
  addresses.set(pathname, href);
}

/** The last address of a page, with its filters; without a visit its path. */
export const lastAddress = (path: string): string => addresses.get(path) ?? path;

/** True if the entry before this one is the last visit of a page. */
export function isEntryBefore(path: string, index: number): boolean {
  const address = addresses.get(path);
  return address !== undefined && entries.get(index - 1) === address;
}
