import { Button, CloseButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { FocusEvent } from 'react';
import { endMessage, undoMessage } from './undo.ts';

/** Milliseconds for which a message is shown. They start again after the pointer or the focus has left it. */
const DURATION_MS = 10_000;

interface UndoMessageProps {
  text: string;
  undo?: () => void;
}

/** The sentence about what was done, with the button "Undo". */
export function UndoMessage({ text, undo }: UndoMessageProps) {
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
      <span>{text}</span>
      {undo !== undefined && (
        <Button variant="default" onClick={undoMessage}>
          Undo
        </Button>
      )}
      <CloseButton size="sm" aria-label="Close the message" onClick={endMessage} />
    </div>
  );
}
