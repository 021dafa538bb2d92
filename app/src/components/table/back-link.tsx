import { useRouter } from '@tanstack/react-router';
import type { ParsedLocation } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

/** Address of each entry of the history of this window. */
const entries = new Map<number, string>();
/** Last address of each page. */
const addresses = new Map<string, string>();

/** Remembers a visit of a page. */
export function rememberVisit({ pathname, href, state }: ParsedLocation): void {
  entries.set(state.__TSR_index, href);
  addresses.set(pathname, href);
}

/** True if an entry of the history still has this address. */
export const isEntry = (index: number, href: string): boolean => entries.get(index) === href;

/** The way back to a list as the person left it: filters, position and selection. @param path of the list */
export function useReturn(path: string) {
  const { history, navigate } = useRouter();
  const href = addresses.get(path) ?? path;
  const goBack = (options: { ignoreBlocker?: boolean } = {}) => {
    const isBefore = entries.get(history.location.state.__TSR_index - 1) === addresses.get(path);
    if (addresses.has(path) && isBefore) history.back(options);
    else void navigate({ href, ...options });
  };
  return { href, goBack };
}

interface BackLinkProps {
  /** Path of the list. */
  to: string;
  children: ReactNode;
}

/** A link to a list as the person left it. */
export function BackLink({ to, children }: BackLinkProps) {
  const { href, goBack } = useReturn(to);
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goBack();
  };
  return (
    <a href={href} className="back-link" onClick={open}>
      {children}
    </a>
  );
}
