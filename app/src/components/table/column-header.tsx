import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import type { ReactNode } from 'react';
import { usePrinting } from '../../print/printing.ts';

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
export function ColumnHeader<Row>({ column, sort, onSort }: ColumnHeaderProps<Row>) {
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
