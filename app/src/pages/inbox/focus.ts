import { FIRST_ROW_INDEX } from '../../components/table/rows/use-row-window.ts';
import type { Row } from './rows.ts';

/** The row that has the focus. */
export function focusedRow(rows: readonly Row[]): Row | undefined {
  const index = document.activeElement?.closest('tr[aria-rowindex]')?.getAttribute('aria-rowindex');
  return rows[Number(index ?? Number.NaN) - FIRST_ROW_INDEX];
}

/**
 * Focuses the first control of a row.
 * @param isLeaving true for rows that leave the list: the next one that stays gets the focus, or the one before
 */
export function focusRow(rows: readonly Row[], row: Row, isLeaving: (row: Row) => boolean = () => false): void {
  const position = rows.indexOf(row);
  const after = rows.findIndex((one, index) => index >= position && !isLeaving(one));
  const target = after === -1 ? rows.findLastIndex((one) => !isLeaving(one)) : after;
  document.querySelector<HTMLElement>(`tr[aria-rowindex="${target + FIRST_ROW_INDEX}"] :is(a, button)`)?.focus();
}
