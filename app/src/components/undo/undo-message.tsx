import { Button, CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { FocusEvent } from 'react';
import { endMessage, undoMessage } from './undo.ts';

/** Milliseconds for which a message is shown. They start again after the pointer or the focus has left it. */
const DURATION_MS = 10_000;

interface UndoMessageProps {
  text: string;
  undo?: () => void;
  /** uniqueId of a task. */
  leadsTo?: string;
}

/** The sentence about what was done, with the button "Undo". */
export function UndoMessage({ text, undo, leadsTo }: UndoMessageProps) {
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
