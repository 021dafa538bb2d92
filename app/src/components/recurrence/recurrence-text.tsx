import { NextDates } from './next-dates.tsx';
import { ruleText } from './words.ts';

interface RecurrenceTextProps {
  rule: string;
  dueDate: string;
  /** Shows the dates of the tasks that follow. */
  withDates?: boolean;
}

/** A rule in words, with the next dates. */
export const RecurrenceText = ({ rule, dueDate, withDates = false }: RecurrenceTextProps) => (
  <>
    <div className="recurrence-text">{ruleText(rule, dueDate)}</div>
    {withDates && <NextDates rule={rule} dueDate={dueDate} />}
  </>
);
