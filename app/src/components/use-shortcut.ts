import { useEffect, useRef } from 'react';
import { isTyping } from './is-typing.ts';

/** Runs an action at a key press outside fields and dialogs: `useShortcut('c', openDialog)`. */
export function useShortcut(key: string, action: () => void): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.key !== key || isTyping(event)) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, [key]);
}
