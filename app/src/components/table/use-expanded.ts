import { useState } from 'react';

/** Keys of the rows of a table that are unfolded, and a function that unfolds or folds one. */
export function useExpanded() {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(expanded);
    if (!next.delete(key)) next.add(key);
    setExpanded(next);
  };
  return [expanded, toggle] as const;
}
