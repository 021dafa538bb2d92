import { Checkbox, Skeleton } from '@mantine/core';
import { Fragment, useId } from 'react';
import type { ReactNode } from 'react';
import { ColumnHeader } from './column-header.tsx';
import type { Column } from './column-header.tsx';
import './data-table.css';
import { ColumnRules } from './column-rules.tsx';
import { LoadMore } from './load-more.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { useRowWindow } from './use-row-window.ts';

export type { Column } from './column-header.tsx';

interface Selection {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
}

interface DataTableProps<Row> {
  /** Accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Text for the checkbox of a row. */
  rowName?: (row: Row) => string;
  /** Shown instead of rows if there are none. */
  empty: ReactNode;
  /** Current value of the API's parameter `sort`. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** Loads the next page; undefined if there is none. */
  onLoadMore?: (() => void) | undefined;
  selection?: Selection | undefined;
  /** Content below a row that is expanded; undefined for the others. */
  details?: ((row: Row) => ReactNode) | undefined;
  /** True if rows may have several lines. */
  hasTallRows?: boolean;
}

const SKELETON_ROWS = 8;

/** A table of any length. `j` and `k` move between its rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowName = rowKey, empty, sort, onSort, onLoadMore, selection, details } = props;
  const id = useId();
  const count = rows?.length ?? 0;
  const { bodyRef, start, end, before, after } = useRowWindow(count, props.hasTallRows !== true);
  useRowKeys(bodyRef);
  if (rows !== undefined && count === 0) return empty;
  const width = columns.length + (selection === undefined ? 0 : 1);

  const toggle = (key: string) => {
    const keys = new Set(selection?.keys);
    if (!keys.delete(key)) keys.add(key);
    selection?.onChange(keys);
  };
  const selectedCount = selection?.keys.size ?? 0;

  return (
    <div className="data-table-frame" id={id}>
      <ColumnRules frame={id} columns={columns} hasSelection={selection !== undefined} />
      <table className="data-table" aria-label={label} aria-rowcount={count + 1} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {selection !== undefined && (
              <th className="selection" scope="col">
                <Checkbox
                  size="xs"
                  aria-label="Select all rows"
                  checked={count > 0 && selectedCount === count}
                  indeterminate={selectedCount > 0 && selectedCount < count}
                  onChange={() => selection.onChange(new Set(selectedCount === count ? [] : rows?.map(rowKey)))}
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
                <tr aria-rowindex={start + index + 2} data-selected={isSelected || undefined}>
                  {selection !== undefined && (
                    <td className="selection">
                      <Checkbox
                        size="xs"
                        aria-label={`Select ${rowName(row)}`}
                        checked={isSelected}
                        onChange={() => toggle(key)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.id} className={column.className} data-column={column.id}>
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
