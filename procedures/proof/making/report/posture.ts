import { OPEN_STATUSES, TASK_STATUSES } from '../../../../entities/task/task.ts';
import type { RegisterRow } from '../registers.ts';
import { NOTHING, TABLE_END, markup, note, tableRow, tableStart, numberText, statusText } from './text.ts';
import type { Html } from './text.ts';

export const isOpen = ({ status }: RegisterRow): boolean => OPEN_STATUSES.some((open) => open === status);

/** True for an open task that was due before a date. */
export const isOverdue = (row: RegisterRow, today: string): boolean =>
  isOpen(row) && typeof row['dueDate'] === 'string' && row['dueDate'] < today;

/** Numbers of tasks. */
class Tally {
  total = 0;
  overdue = 0;
  readonly byStatus = new Map<unknown, number>();

  add(row: RegisterRow, today: string): void {
    this.total += 1;
    if (isOverdue(row, today)) this.overdue += 1;
    this.byStatus.set(row['status'], this.of(row['status']) + 1);
  }

  of(status: unknown): number {
    return this.byStatus.get(status) ?? 0;
  }

  /** Tasks that must be done, or are. */
  get applicable(): number {
    return this.total - this.of('not_applicable') - this.of('canceled');
  }
}

/** Numbers of tasks by framework. */
export class Posture {
  readonly all = new Tally();
  readonly #today: string;
  readonly #tallies = new Map<unknown, Tally>();

  constructor(frameworks: Iterable<unknown>, today: string) {
    this.#today = today;
    for (const id of frameworks) this.#tallies.set(id, new Tally());
  }

  add(row: RegisterRow): void {
    const tally = this.#tallies.get(row['framework']) ?? new Tally();
    this.#tallies.set(row['framework'], tally);
    tally.add(row, this.#today);
    this.all.add(row, this.#today);
  }

  *toHtml(nameOf: (framework: unknown) => string): Generator<Html> {
    const statuses = TASK_STATUSES.map(statusText);
    yield tableStart(['Framework', 'Tasks', ...statuses, 'Overdue', 'Done, of those that apply'], 'n');
    for (const [id, tally] of this.#tallies) yield tallyRow(nameOf(id), tally);
    if (this.#tallies.size > 1) yield tallyRow('All', this.all);
    yield TABLE_END;
    yield note(
      'A task applies unless it is not applicable or canceled. It is overdue if it is open and was due before the date of the end of the period.',
    );
  }
}

function tallyRow(name: string, tally: Tally): Html {
  const numbers = [tally.total, ...TASK_STATUSES.map((status) => tally.of(status)), tally.overdue];
  return tableRow([name, ...numbers.map(numberText), shareHtml(tally)]);
}

function shareHtml(tally: Tally): Html {
  const { applicable } = tally;
  if (applicable === 0) return markup`none applies`;
  const percent = Math.floor((100 * tally.of('done')) / applicable);
  const bar = percent === 0 ? NOTHING : markup`<i style="width:${percent}%"></i>`;
  return markup`<span class="bar">${bar}</span>${percent} %, ${numberText(tally.of('done'))} of ${numberText(applicable)}`;
}
