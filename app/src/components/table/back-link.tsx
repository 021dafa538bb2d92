import type { MouseEvent, ReactNode } from 'react';
import { useReturn } from './use-return.ts';

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
