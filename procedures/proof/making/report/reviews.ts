import { toIso } from '../../../../entities/statements/change-metadata.ts';
import type { ResourceEvents } from '../paging.ts';
import type { RegisterRow } from '../registers.ts';
import { compareNames } from './collect.ts';
import type { Collected, ReportRecord } from './collect.ts';
import type { Report, Section } from './context.ts';
import {
  TABLE_END,
  markup,
  note,
  shortened,
  tableRow,
  tableStart,
  dateText,
  daysBetween,
  compareText,
  countText,
  criticalityText,
  isEmpty,
  numberText,
  personText,
  statusText,
} from './text.ts';
import type { Html } from './text.ts';

const MAX_NOTE_LENGTH = 160;

/** A review as events and registers have it. */
interface RecordedReview {
  at: string;
  by: unknown;
  note: string;
  /** Reviews from before version 0.19.0 have neither this nor a risk. */
  outcome?: unknown;
  risk?: unknown;
}

/** A review in the period. */
interface Review extends RecordedReview {
  vendor: string;
  sequence: number;
}

const isReview = (value: unknown): value is RecordedReview =>
  typeof value === 'object' && value !== null && 'at' in value && 'by' in value && 'note' in value;

/** True if the next review of a vendor was due before a date. Archived vendors need none. */
const isReviewOverdue = ({ status, nextReview }: RegisterRow, today: string): boolean =>
  status !== 'archived' && typeof nextReview === 'string' && nextReview < today;

/** The date of the next review, with the days since then if it is overdue. */
export function nextReviewText(row: RegisterRow, today: string): string | Html {
  const { nextReview } = row;
  if (typeof nextReview !== 'string') return 'none';
  if (!isReviewOverdue(row, today)) return dateText(nextReview);
  return markup`${dateText(nextReview)} <b>${countText(daysBetween(nextReview, today), 'day')} overdue</b>`;
}

/** Time and person of the last review, and its note. */
export function lastReviewText({ times, contents }: Report, { lastReview }: RegisterRow): string {
  if (!isReview(lastReview)) return 'none';
  const { at, by, note: text } = lastReview;
  return `${times.text(at)} by ${personText(by, contents.people)}${outcomeText(lastReview)}${quoted(text)}`;
}

/** Outcome and risk of a review, after a comma; nothing if neither was given. */
export function outcomeText(review: unknown): string {
  const { outcome, risk }: Pick<RecordedReview, 'outcome' | 'risk'> = Object(review);
  const words = [
    ...(isEmpty(outcome) ? [] : [statusText(outcome).toLowerCase()]),
    ...(isEmpty(risk) ? [] : [`${criticalityText(risk).toLowerCase()} risk`]),
  ];
  return words.map((word) => `, ${word}`).join('');
}

const quoted = (text: string): string => (text === '' ? '' : `: “${shortened(text, MAX_NOTE_LENGTH)}”`);

/** The reviews of vendors in the period, and the number of those that are overdue at its end. */
export class Reviews {
  readonly #report: Report;
  /** The first ones that were read, as many as the report may have records. */
  readonly #kept: Review[] = [];
  total = 0;
  overdue = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Counts a vendor as it is at the end of the period. */
  count(row: RegisterRow): void {
    if (isReviewOverdue(row, this.#report.today)) this.overdue += 1;
  }

  /** Reads the events of a vendor, also of a deleted one. */
  read({ events }: ResourceEvents, vendor: string): void {
    const { contents, limits } = this.#report;
    for (const { action, occurredAt, sequence, changes } of events) {
      const time = toIso(occurredAt);
      const isInPeriod = time <= contents.asOf && (contents.from === null || time >= contents.from);
      const review: unknown = Reflect.get(Object(changes['last_review']), 'to');
      if (action !== 'vendor.review' || !isInPeriod || !isReview(review)) continue;
      this.total += 1;
      if (this.#kept.length < limits.records)
        this.#kept.push({ ...review, note: shortened(review.note, MAX_NOTE_LENGTH), vendor, sequence });
    }
  }

  /** The section of vendors with their reviews. */
  section(vendors: Collected): Section {
    return { id: 'reviews', title: 'Vendor reviews', content: () => this.#content(vendors) };
  }

  *#content({ records, isShort }: Collected): Generator<Html> {
    const { today, limits } = this.#report;
    if (isShort)
      yield note(`The table has the same vendors as the section before, at most ${numberText(limits.records)}.`);
    yield tableStart(['Vendor', 'Criticality', 'Owner', 'Last review', 'Next review'], 'i');
    const numbers = new Map(records.toSorted(compareNames).map(({ uniqueId }, index) => [uniqueId, index + 1]));
    for (const { uniqueId, name, row } of records.filter(isReviewed).toSorted(compareCriticality))
      yield tableRow([
        isShort ? name : markup`<a href="#v${numbers.get(uniqueId) ?? 0}">${name}</a>`,
        criticalityText(row['criticality']),
        personText(row['owner'], this.#report.contents.people),
        lastReviewText(this.#report, row),
        nextReviewText(row, today),
      ]);
    yield TABLE_END;
    yield note(
      'Archived vendors are left out. A next review is overdue if it was due before the date of the end of the period.',
    );
    yield* this.#inPeriod();
  }

  *#inPeriod(): Generator<Html> {
    const { contents, times } = this.#report;
    yield markup`<h3>Reviews in the period</h3>\n`;
    if (this.total === 0) {
      yield note('No review in the period.');
      return;
    }
    const rest = this.total - this.#kept.length;
    if (rest > 0) yield note(`${numberText(rest)} more are only in events.ndjson.`);
    yield tableStart(['Time', 'Person', 'Vendor', 'Outcome', 'Risk', 'Note'], 'c');
    for (const { at, by, vendor, outcome, risk, note: text, sequence } of this.#kept.toSorted(
      (a, b) => a.sequence - b.sequence,
    )) {
      const names = contents.people.at(sequence);
      yield tableRow([
        times.text(at),
        personText(names.get(String(by)), names),
        vendor,
        isEmpty(outcome) ? '' : statusText(outcome),
        isEmpty(risk) ? '' : criticalityText(risk),
        text,
      ]);
    }
    yield TABLE_END;
  }
}

const isReviewed = ({ row }: ReportRecord): boolean => row['status'] !== 'archived';

/** Position by criticality; vendors without one are the last. */
const criticalityOf = ({ row: { criticality } }: ReportRecord): string =>
  typeof criticality === 'number' ? String(criticality) : '9';

const compareCriticality = (a: ReportRecord, b: ReportRecord): number =>
  compareText(criticalityOf(a), criticalityOf(b)) || compareNames(a, b);
