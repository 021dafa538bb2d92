import { Portal } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { sessionEnd } from '../../api/session-end.ts';
import { FailureMessage } from './failure-message.tsx';
import { UndoMessage } from './undo-message.tsx';
import './undo.css';
import { endMessage, undoMessage, useUndo } from './undo.ts';

const PLACE = 'page-bar';

/** The bottom of the window: messages about what was done, and below them the bar of the page. */
export function BottomBars() {
  const { message, failures } = useUndo();
  useHotkeys([['mod+Z', undoMessage]]);
  useEffect(() => {
    // The requests of a session that ended wait for the next sign-in, which may be that of somebody else.
    const leave = () => {
      if (!sessionEnd.isEnded()) endMessage();
    };
    window.addEventListener('pagehide', leave);
    return () => window.removeEventListener('pagehide', leave);
  }, []);
  return (
    <div className="bottom-bars">
      {failures.map((failure) => (
        <FailureMessage key={failure.title} failure={failure} />
      ))}
      <div role="status">{message !== undefined && <UndoMessage key={message.id} {...message} />}</div>
      <div id={PLACE} />
    </div>
  );
}

/** The bar of a page at the bottom of the window, for example with actions on a selection. */
export const PageBar = ({ label, children }: { label: string; children: ReactNode }) => (
  <Portal target={`#${PLACE}`}>
    <div className="bottom-bar" role="toolbar" aria-label={label}>
      {children}
    </div>
  </Portal>
);
