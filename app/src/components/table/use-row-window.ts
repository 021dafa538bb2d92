import { useLayoutEffect, useRef, useState } from 'react';
import { usePrinting } from '../../print/printing.ts';

/** Height of a row before one was measured, in pixels. */
const ROW_HEIGHT = 40;
/** Height above and below the window in which rows are rendered, in pixels. */
const MARGIN = 800;
/** Rows of the first render. */
const FIRST_ROWS = 60;

interface Range {
  start: number;
  end: number;
  /** Heights of the rows before and after, in pixels. */
  before: number;
  after: number;
}

/** Heights of the rows of each table that was shown, and the width of the window that they belong to. */
const tables = new Map<string, { width: number; heights: Map<string, number> }>();

/** Heights of the rows of a table. They outlive it, so that "Back" finds the position in a list again. */
function heightsOf(table: string): Map<string, number> {
  const width = window.innerWidth;
  const last = tables.get(table);
  if (last?.width === width) return last.heights;
  const heights = new Map<string, number>();
  tables.set(table, { width, heights });
  return heights;
}

/**
 * The rows of a long table body that are near the visible part of the window. The others are blank space of their height. Paper has
 * them all.
 * @param table its name and columns: what the heights of its rows depend on
 */
export function useRowWindow(table: string, keys: readonly string[]) {
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState<Range>(() => rangeOf(keys, new Map(), 0, FIRST_ROWS * ROW_HEIGHT));

  const update = () => {
    const body = bodyRef.current;
    if (body === null) return;
    const heights = heightsOf(table);
    measureRows(body, keys, heights);
    const top = -body.getBoundingClientRect().top;
    const next = rangeOf(keys, heights, top - MARGIN, top + window.innerHeight + MARGIN);
    setRange((previous) => (isSame(previous, next) ? previous : next));
  };
  const latest = useRef(update);

  useLayoutEffect(() => {
    latest.current = update;
    update();
  });
  useLayoutEffect(() => {
    const handle = () => latest.current();
    window.addEventListener('scroll', handle, { passive: true });
    window.addEventListener('resize', handle);
    return () => {
      window.removeEventListener('scroll', handle);
      window.removeEventListener('resize', handle);
    };
  }, []);

  const isPrinting = usePrinting();
  return { bodyRef, ...(isPrinting ? { start: 0, end: keys.length, before: 0, after: 0 } : range) };
}

/** Measures the rendered rows, each with the details below it. */
function measureRows(body: HTMLElement, keys: readonly string[], heights: Map<string, number>): void {
  for (const row of body.querySelectorAll('tr[aria-rowindex]')) {
    const key = keys[Number(row.getAttribute('aria-rowindex')) - FIRST_ROW_INDEX];
    const details = row.nextElementSibling?.matches('.details') === true ? row.nextElementSibling : undefined;
    const height = row.getBoundingClientRect().height + (details?.getBoundingClientRect().height ?? 0);
    if (key !== undefined) heights.set(key, height);
  }
}

/** `aria-rowindex` of the first row of the body. */
export const FIRST_ROW_INDEX = 2;

/** The rows between two positions, in pixels from the top of the body. A row that was not measured has the average height. */
function rangeOf(keys: readonly string[], heights: ReadonlyMap<string, number>, top: number, bottom: number): Range {
  const measured = [...heights.values()];
  const average =
    measured.length === 0 ? ROW_HEIGHT : measured.reduce((sum, height) => sum + height, 0) / measured.length;
  const range = { start: 0, end: 0, before: 0, after: 0 };
  let position = 0;
  for (const [index, key] of keys.entries()) {
    const height = heights.get(key) ?? average;
    position += height;
    if (position <= top) {
      range.start = index + 1;
      range.before = position;
    } else if (position - height < bottom) range.end = index + 1;
    else range.after += height;
  }
  return { ...range, end: Math.max(range.start, range.end) };
}

const isSame = (one: Range, other: Range): boolean =>
  one.start === other.start && one.end === other.end && one.before === other.before && one.after === other.after;
