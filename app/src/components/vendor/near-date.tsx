import { daysUntil, overdueText, relativeDate } from '../../dates.ts';
import type { DateWords } from '../record/fields.tsx';
import { CalendarDate } from '../time.tsx';
import type { Vendor } from './choices.ts';

/** Days before a date from which on it is also said in words: those of the filters. */
const SOON_DAYS = 30;

/** Words for a date of a vendor that is near or past. Nothing about an archived one. @param pastText words for a past date */
function nearWords(
  { status }: Pick<Vendor, 'status'>,
  date: string | null,
  pastText: (date: string) => string,
): DateWords | undefined {
  if (date === null || status === 'archived') return undefined;
  const days = daysUntil(date);
  if (days > SOON_DAYS) return undefined;
  return days < 0 ? { words: pastText(date), isOverdue: true } : { words: relativeDate(date), isOverdue: false };
}

/** Words for a next review that is near or past: "in 3 days", "42 days overdue". */
export const reviewWords = (vendor: Pick<Vendor, 'status' | 'nextReview'>) =>
  nearWords(vendor, vendor.nextReview, overdueText);

/** Words for an end of the contract that is near or past: "in 3 days", "3 days ago". */
export const contractWords = (vendor: Pick<Vendor, 'status' | 'contractEnd'>) =>
  nearWords(vendor, vendor.contractEnd, relativeDate);

interface NearDateProps {
  value: string;
  /** Missing for a date that is neither near nor past. */
  near: DateWords | undefined;
}

/** A date with its words: "12 Oct 2026, 42 days overdue". */
export const NearDate = ({ value, near }: NearDateProps) => (
  <CalendarDate value={value} addition={near?.words} isOverdue={near?.isOverdue ?? false} />
);
