import { Alert, Button, CloseButton, List, Portal, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { FocusEvent, ReactNode } from 'react';
import { sessionEnd } from '../../api/session-end.ts';
import './undo.css';
import { closeFailure, endMessage, undoMessage, useUndo } from './undo.ts';
import type { Failure } from './undo.ts';

/** Milliseconds for which a message is shown. They start again after the pointer or the focus has left it. */
const DURATION_MS = 10_000;

interface UndoMessageProps {
  text: string;
  undo?: () => void;
  /** uniqueId of a task. */
  leadsTo?: string;
}

/** The sentence about what was done, with the button "Undo". */
function UndoMessage({ text, undo, leadsTo }: UndoMessageProps) {
  const [hasPointer, setHasPointer] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const isPaused = hasPointer || hasFocus;
  useEffect(() => {
    if (isPaused) return undefined;
    const timer = setTimeout(endMessage, DURATION_MS);
    return () => clearTimeout(timer);
  }, [isPaused]);
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => setHasFocus(currentTarget.contains(relatedTarget));
  return (
    <div
      className="bottom-bar"
      onMouseEnter={() => setHasPointer(true)}
      onMouseLeave={() => setHasPointer(false)}
      onFocus={() => setHasFocus(true)}
      onBlur={leave}
    >
      {leadsTo === undefined ? (
        <span>{text}</span>
      ) : (
        <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: leadsTo }}>
          {text}
        </Link>
      )}
      {undo !== undefined && (
        <Button variant="default" onClick={undoMessage}>
          Undo
        </Button>
      )}
      <CloseButton size="sm" aria-label="Close the message" onClick={endMessage} />
    </div>
  );
}

/** Maximum number of reasons that are listed. */
const MAX_SHOWN = 10;

/** A failure with its reasons. It stays until a person hides it. */
function FailureMessage({ failure }: { failure: Failure }) {
  const { title, advice, reasons } = failure;
  const more = reasons.length - MAX_SHOWN;
  return (
    <Alert color="red" variant="outline" role="alert" className="failure-message" title={title}>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      <List size="sm" mb="xs">
        {reasons.slice(0, MAX_SHOWN).map((reason, index) => (
          <List.Item key={index}>{reason}</List.Item>
        ))}
      </List>
      {more > 0 && <Text size="sm">And {more.toLocaleString('en')} more.</Text>}
      <Button variant="default" onClick={() => closeFailure(failure)}>
        Hide
      </Button>
    </Alert>
  );
}

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
