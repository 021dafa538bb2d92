import { pageNonce } from '../../nonce.ts';
import { usePrinting } from '../../print/printing.ts';
import type { Column } from './column-header.tsx';

/** Minimum width of the column that names the thing, in pixels. */
const NAME_WIDTH = 280;
const SELECTION_WIDTH = 40;

interface ColumnRulesProps {
  /** Id of the element around the table. */
  frame: string;
  columns: readonly Pick<Column<never>, 'id' | 'width' | 'leaves'>[];
  hasSelection: boolean;
}

/** Rules by which columns leave a narrow table, one after the other, until the name has its minimum width. Paper obeys them too. */
export function ColumnRules({ frame, columns, hasSelection }: ColumnRulesProps) {
  const isPrinting = usePrinting();
  const leaving = columns
    .filter(({ leaves }) => leaves !== undefined)
    .toSorted((one, other) => (other.leaves ?? 0) - (one.leaves ?? 0));
  const staying = columns.filter(({ leaves }) => leaves === undefined);
  let width = NAME_WIDTH + (hasSelection && !isPrinting ? SELECTION_WIDTH : 0) + totalWidth(staying);
  const rules = leaving.map((column) => {
    width += totalWidth([column]);
    return `@container (width < ${width}px) { #${frame} [data-column="${column.id}"] { display: none } }`;
  });
  return <style nonce={pageNonce}>{rules.join('\n')}</style>;
}

const totalWidth = (columns: ColumnRulesProps['columns']): number =>
  columns.reduce((total, { width = 0 }) => total + width, 0);
