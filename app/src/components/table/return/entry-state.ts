import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Creates a hook like `useState` whose value belongs to an entry of the history: "Back" finds it again. */
export function entryState<Value>(initial: Value) {
  const values = new Map<string, Value>();
  return function useEntryState() {
    const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
    const [value, setValue] = useState(() => values.get(key) ?? initial);
    useEffect(() => {
      values.set(key, value);
    }, [key, value]);
    return [value, setValue] as const;
  };
}
