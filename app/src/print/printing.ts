import { useSyncExternalStore } from 'react';

const media = window.matchMedia('print');
/** True while lists load their rest before the print dialog opens. */
let isPreparing = false;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  media.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    media.removeEventListener('change', listener);
  };
};

/** True while the page is printed, or prepared for it: lists then show every row. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => media.matches || isPreparing);

function setPreparing(value: boolean): void {
  isPreparing = value;
  for (const listener of listeners) listener();
}

/** Class of the end of a list that has more pages. */
export const LOAD_MORE_CLASS = 'load-more';
const MAX_WAIT_MS = 60_000;
const INTERVAL_MS = 100;

const hasMore = (): boolean => document.querySelector(`.${LOAD_MORE_CLASS}`) !== null;

/** Loads the rest of the lists, then opens the print dialog. A list that takes too long is printed as far as it has come. */
export async function printPage(): Promise<void> {
  if (isPreparing) return;
  setPreparing(true);
  const end = Date.now() + MAX_WAIT_MS;
  do {
    await new Promise((resolve) => {
      setTimeout(resolve, INTERVAL_MS);
    });
  } while (hasMore() && Date.now() < end);
  window.print();
  setPreparing(false);
}
