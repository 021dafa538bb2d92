import { useRef } from 'react';

export interface Selection {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
}

/** Changes of a selection. @param keys of all rows, in their order */
export function useSelection(keys: readonly string[], selection: Selection | undefined) {
  /** Row that was selected or cleared last: the other end of a range. */
  const anchor = useRef<string>(undefined);
  const count = keys.filter((key) => selection?.keys.has(key)).length;
  const isAll = count > 0 && count === keys.length;

  /** @param isRange true to give all rows since the last one the same state */
  const toggle = (key: string, isRange: boolean) => {
    const next = new Set(selection?.keys);
    const isSelected = !next.has(key);
    const start = isRange && anchor.current !== undefined ? keys.indexOf(anchor.current) : -1;
    const end = keys.indexOf(key);
    const range = start === -1 ? [key] : keys.slice(Math.min(start, end), Math.max(start, end) + 1);
    for (const one of range)
      if (isSelected) next.add(one);
      else next.delete(one);
    anchor.current = key;
    selection?.onChange(next);
  };

  return {
    isAll,
    isPartial: count > 0 && !isAll,
    toggle,
    toggleAll: () => selection?.onChange(new Set(isAll ? [] : keys)),
  };
}
