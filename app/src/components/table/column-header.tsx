import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  render: (row: Row) => ReactNode;
  /** Values of the API's parameter `sort` between which a click on the header alternates. */
  sorts?: readonly string[];
  /** Pixels. A column without it gets the rest of the row: the one that names the thing. */
  width?: number;
  /** The lowest number leaves first when the name would get less than 280 px. Columns without it stay. */
  leaves?: number;
  /** `align-end` aligns numbers; `wrap` shows a long text on several lines. */
  className?: 'align-end' | 'wrap';
}

interface ColumnHeaderProps<Row> {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

/** A header whose button sorts, if the API can sort by the column. */
export function ColumnHeader<Row>({ column, sort, onSort }: ColumnHeaderProps<Row>) {
  const { header, sorts = [], width, className } = column;
  const position = sort === undefined ? -1 : sorts.indexOf(sort);
  const nextSort = sorts[(position + 1) % sorts.length];
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
      {nextSort === undefined || onSort === undefined ? (
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
