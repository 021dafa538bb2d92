import { Button, Center, Checkbox, Skeleton } from '@mantine/core';
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import { Fragment, useCallback, useEffect, useRef, useState } from 'react';
import type { MouseEvent as ReactMouseEvent, ReactNode, RefObject } from 'react';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';
import { isTyping } from '../is-typing.ts';
import './data-table.css';
import { FIRST_ROW_INDEX, useRowWindow } from './use-row-window.ts';

export interface Column<Row> {
  id: string;
  header: string;
  render: (row: Row) => ReactNode;
  /** Values of the API's parameter `sort` that clicks on the header set one after the other. The next click sets none. */
  sorts?: readonly string[];
  /** Pixels. A column without it gets the rest of the row: the one that names the thing. */
  width?: number;
  /** The lowest number leaves first when the name would get less than 280 px. Columns without it stay. */
  leaves?: number;
  /** Place in the second line of a row of a narrow table. Columns without a place leave it, except the title. */
  line?: 1 | 2 | 3;
  /** `align-end` aligns numbers; `wrap` shows a long text on several lines; `title` is the first line of a row of a narrow table. */
  className?: 'align-end' | 'wrap' | 'title';
  /** True for a column that is shown only to those who choose it. */
  isOptional?: boolean;
}

interface ColumnHeaderProps<Row> {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string | undefined) => void) | undefined;
}

/** A header whose button sorts, if the API can sort by the column. */
function ColumnHeader<Row>({ column, sort, onSort }: ColumnHeaderProps<Row>) {
  const { header, sorts = [], width, className } = column;
  // Chromium leaves buttons out of the headings that it repeats on each sheet.
  const isPrinting = usePrinting();
  const position = sort === undefined ? -1 : sorts.indexOf(sort);
  const nextSort = sorts[position + 1];
  const isDescending = sort?.startsWith('-') === true;
  const Arrow = isDescending ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      className={className}
      data-column={column.id}
      style={{ width }}
      aria-sort={position === -1 ? undefined : isDescending ? 'descending' : 'ascending'}
    >
      {sorts.length === 0 || onSort === undefined || isPrinting ? (
        header
      ) : (
        <button type="button" onClick={() => onSort(nextSort)}>
          {header}
          {position !== -1 && <Arrow size={14} aria-hidden />}
        </button>
      )}
    </th>
  );
}

/** Distance to the end of the list at which the next page is loaded. */
const MARGIN = '800px';

/** The end of a list: loads the next page when a person scrolls near it. The button works with the keyboard. */
export function LoadMore({ onLoadMore }: { onLoadMore: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  const latest = useRef(onLoadMore);
  useEffect(() => {
    latest.current = onLoadMore;
  });
  const isPrinting = usePrinting();
  useEffect(() => {
    if (isPrinting) latest.current();
  }, [isPrinting]);
  useEffect(() => {
    const button = ref.current;
    if (button === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) latest.current();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, []);
  return (
    <Center py="md" className={LOAD_MORE_CLASS}>
      <span className="paper-only">The list has more rows. Press Ctrl+P to load them all before printing.</span>
      <Button ref={ref} variant="subtle" size="xs" onClick={onLoadMore}>
        Load more
      </Button>
    </Center>
  );
}

interface Selection {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
}

/** Changes of a selection. @param keys of all rows, in their order */
function useSelection(keys: readonly string[], selection: Selection | undefined) {
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

/** Minimum width of the column that names the thing, in pixels. */
const NAME_WIDTH = 280;
const SELECTION_WIDTH = 40;
/** Width below which a row has two lines, in pixels. It is that of a window of 772 px without the sidebar. */
const TWO_LINES_WIDTH = 740;

const totalWidth = <Row,>(columns: readonly Column<Row>[]): number =>
  columns.reduce((total, { width = 0 }) => total + width, 0);

const NONE: ReadonlySet<string> = new Set();

/**
 * The columns that a table has room for. They leave one after the other, until the name has its minimum width; below the last of
 * these widths a row has two lines, if columns have a place in them. Paper has all columns.
 * @param kept ids of columns that stay
 */
function useLayout<Row>(all: readonly Column<Row>[], kept: ReadonlySet<string>, hasSelection: boolean) {
  const [frameWidth, setFrameWidth] = useState(Number.POSITIVE_INFINITY);
  const frameRef = useCallback((frame: HTMLElement | null) => {
    if (frame === null) return undefined;
    const measure = () => setFrameWidth(frame.getBoundingClientRect().width);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    return () => observer.disconnect();
  }, []);
  const isPrinting = usePrinting();
  if (isPrinting) return { frameRef, columns: all, hasLines: false };

  const isLeaving = ({ id, leaves }: Column<Row>) => leaves !== undefined && !kept.has(id);
  let width = NAME_WIDTH + (hasSelection ? SELECTION_WIDTH : 0) + totalWidth(all.filter((one) => !isLeaving(one)));
  const hasLines = all.some(({ line }) => line !== undefined);
  if (hasLines && frameWidth < Math.max(TWO_LINES_WIDTH, width)) {
    const columns = all.filter(
      ({ id, line, className }) => line !== undefined || className === 'title' || kept.has(id),
    );
    return { frameRef, columns, hasLines };
  }
  const gone = new Set<Column<Row>>();
  for (const column of all.filter(isLeaving).toSorted((one, other) => (other.leaves ?? 0) - (one.leaves ?? 0))) {
    width += totalWidth([column]);
    if (frameWidth < width) gone.add(column);
  }
  return { frameRef, columns: all.filter((column) => !gone.has(column)), hasLines: false };
}

/** `j` and `k` focus the link of the next or the previous row. Enter then opens it. */
function useRowKeys(bodyRef: RefObject<HTMLTableSectionElement | null>): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (isTyping(event) || (event.key !== 'j' && event.key !== 'k')) return;
      const links = [...(bodyRef.current?.querySelectorAll<HTMLElement>('tr') ?? [])]
        // A row of an outline has a button in front of its title.
        .map((row) => row.querySelector<HTMLElement>('.title a') ?? row.querySelector<HTMLElement>('a, button'))
        .filter((link) => link !== null);
      const current = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement) === true);
      const next = current === -1 ? 0 : current + (event.key === 'j' ? 1 : -1);
      const link = links[next];
      link?.focus({ preventScroll: true });
      link?.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('keydown', move);
    return () => document.removeEventListener('keydown', move);
  }, [bodyRef]);
}

interface DataTableProps<Row> {
  /** Accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  /** Ids of columns that stay in a narrow table. */
  kept?: ReadonlySet<string>;
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Text for the checkbox of a row. */
  rowName?: (row: Row) => string;
  /** Shown instead of rows if there are none. */
  empty: ReactNode;
  /** Current value of the API's parameter `sort`. */
  sort?: string | undefined;
  /** Undefined is the order of a list that nobody sorted. */
  onSort?: (sort: string | undefined) => void;
  /** Loads the next page; undefined if there is none. */
  onLoadMore?: (() => void) | undefined;
  selection?: Selection | undefined;
  /** Content below a row that is expanded; undefined for the others. */
  details?: ((row: Row) => ReactNode) | undefined;
}

const SKELETON_ROWS = 8;

/** A table of any length. `j` and `k` move between its rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    kept = NONE,
    rows,
    rowKey,
    rowName = rowKey,
    empty,
    sort,
    onSort,
    onLoadMore,
    selection,
    details,
  } = props;
  const { frameRef, columns, hasLines } = useLayout(props.columns, kept, selection !== undefined);
  const keys = rows?.map(rowKey) ?? [];
  const count = keys.length;
  const { bodyRef, start, end, before, after } = useRowWindow(
    [label, hasLines, ...columns.map(({ id }) => id)].join(' '),
    keys,
  );
  const { isAll, isPartial, toggle, toggleAll } = useSelection(keys, selection);
  useRowKeys(bodyRef);
  if (rows !== undefined && count === 0) return empty;
  const width = columns.length + (selection === undefined ? 0 : 1);

  return (
    <div className="data-table-frame" ref={frameRef}>
      <table
        className="data-table"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-busy={rows === undefined}
        data-lines={hasLines || undefined}
        data-selectable={selection !== undefined || undefined}
      >
        <thead>
          <tr>
            {selection !== undefined && (
              <th className="selection" scope="col">
                <Checkbox
                  size="xs"
                  aria-label="Select all rows"
                  checked={isAll}
                  indeterminate={isPartial}
                  onChange={toggleAll}
                />
              </th>
            )}
            {columns.map((column) => (
              <ColumnHeader key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef}>
          {rows === undefined && <SkeletonRows width={width} />}
          <Spacer height={before} width={width} />
          {rows?.slice(start, end).map((row, index) => {
            const key = rowKey(row);
            const isSelected = selection?.keys.has(key) === true;
            const content = details?.(row);
            return (
              <Fragment key={key}>
                <tr aria-rowindex={start + index + FIRST_ROW_INDEX} data-selected={isSelected || undefined}>
                  {selection !== undefined && (
                    <td className="selection" onMouseDown={keepTextSelection}>
                      <Checkbox
                        size="xs"
                        aria-label={`Select ${rowName(row)}`}
                        checked={isSelected}
                        onChange={({ nativeEvent }) => toggle(key, isWithShift(nativeEvent))}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td
                      key={column.id}
                      className={column.className}
                      data-column={column.id}
                      style={hasLines ? lineStyle(column) : undefined}
                    >
                      {column.render(row)}
                    </td>
                  ))}
                </tr>
                {content !== undefined && (
                  <tr className="details">
                    <td colSpan={width}>{content}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
          <Spacer height={after} width={width} />
        </tbody>
      </table>
      {onLoadMore !== undefined && <LoadMore key={count} onLoadMore={onLoadMore} />}
    </div>
  );
}

/** Place of a column in a row of several lines. One that a person brought back is the last. */
const lineStyle = <Row,>({ line, className }: Column<Row>) => ({ order: line ?? (className === 'title' ? 0 : 9) });

const isWithShift = (event: Event): boolean => event instanceof MouseEvent && event.shiftKey;

/** A click with Shift selects rows, and not the text between them. */
const keepTextSelection = (event: ReactMouseEvent) => {
  if (event.shiftKey) event.preventDefault();
};

/** Space of the rows that are not rendered. */
const Spacer = ({ height, width }: { height: number; width: number }) =>
  height > 0 && (
    <tr className="spacer" aria-hidden>
      <td colSpan={width} style={{ height }} />
    </tr>
  );

const SkeletonRows = ({ width }: { width: number }) =>
  Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <tr key={row} aria-hidden>
      {Array.from({ length: width }, (__, cell) => (
        <td key={cell}>
          <Skeleton height={12} width={cell === 0 ? '60%' : '40%'} />
        </td>
      ))}
    </tr>
  ));
