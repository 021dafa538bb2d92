import { Title } from '@mantine/core';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { announcePage } from './focus.ts';

interface PageProps {
  /** Heading, and title of the window. */
  title: string;
  /** The primary button, or a group of buttons. */
  action?: ReactNode;
  children: ReactNode;
}

/** Id of the place in the top line for the total of a list. */
export const TOTAL_PLACE = 'page-total';

/** A page with its top line. */
export function Page({ title, action, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className="page">
      <div className="page-top">
        <Title order={1} lineClamp={1} dir="auto">
          {title}
        </Title>
        <div id={TOTAL_PLACE} />
        {action}
      </div>
      {children}
    </div>
  );
}

/** Sets the title of the window. After a navigation, the page is announced and its heading gets the focus. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Compliance`;
    announcePage(title);
  }, [title]);
}
