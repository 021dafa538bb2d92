import { useLayoutEffect, useRef, useState } from 'react';

const ROW_HEIGHT = 40;
/** Rows that are rendered above and below the window. */
const OVERSCAN = 20;
/** Rows of the first render. */
const FIRST_ROWS = 60;

/**
 * The rows of a long table body that are near the visible part of the window. The others are blank space.
 * @param isWindowed false for rows of different heights, which are all rendered
 */
export function useRowWindow(count: number, isWindowed: boolean) {
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ start: 0, end: FIRST_ROWS });

  useLayoutEffect(() => {
    const update = () => {
      const top = bodyRef.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / ROW_HEIGHT / OVERSCAN) * OVERSCAN;
      const visible = Math.ceil(window.innerHeight / ROW_HEIGHT / OVERSCAN) * OVERSCAN;
      const start = Math.max(0, first - OVERSCAN);
      const end = Math.max(0, first) + visible + 2 * OVERSCAN;
      setRange((previous) => (previous.start === start && previous.end === end ? previous : { start, end }));
    };
    update();
    window.addEventListener('scroll', update, { passive: true });
    window.addEventListener('resize', update);
    return () => {
      window.removeEventListener('scroll', update);
      window.removeEventListener('resize', update);
    };
  }, []);

  if (!isWindowed) return { bodyRef, start: 0, end: count, before: 0, after: 0 };
  const start = Math.min(range.start, Math.max(0, count - 1));
  const end = Math.min(range.end, count);
  return { bodyRef, start, end, before: start * ROW_HEIGHT, after: (count - end) * ROW_HEIGHT };
}
