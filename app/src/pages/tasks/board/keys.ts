import type { TaskStatus } from '../../../components/task/choices.ts';

const links = (column: Element | undefined) => [...(column?.querySelectorAll<HTMLElement>('li a') ?? [])];

/** Moves the focus from a card to the next one: up or down in its column, left or right to another column. */
export function moveFocus(link: HTMLElement, key: string): void {
  const columns = [...document.querySelectorAll('.board-column')].filter((column) => links(column).length > 0);
  const column = columns.findIndex((candidate) => candidate.contains(link));
  const row = links(columns[column]).indexOf(link);
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  const along = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
  const target = links(columns[column + sideways]);
  target[Math.min(row + along, target.length - 1)]?.focus();
}

/** Status of the column beside another one; undefined at the ends of the board. */
export function neighbour(status: TaskStatus, key: string, columns: readonly TaskStatus[]): TaskStatus | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  return step === undefined ? undefined : columns[columns.indexOf(status) + step];
}

export const ARROWS: readonly string[] = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
