import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { dateText } from '../../dates.ts';
import { messageText } from '../error-text.ts';
import { ruleText } from './words.ts';

/** Milliseconds after which the dates of a rule that a person types are read. */
const DELAY_MS = 300;

interface NextDatesProps {
  rule: string;
  dueDate: string;
}

/** The next dates of a rule after the due date, or the reason why it has none. */
export function NextDates({ rule, dueDate: start }: NextDatesProps) {
  const [recurrence] = useDebouncedValue(rule, DELAY_MS);
  const [dueDate] = useDebouncedValue(start, DELAY_MS);
  const { data, error } = useQuery(
    trpc.task.nextDates.queryOptions({ recurrence, dueDate }, { placeholderData: keepPreviousData }),
  );
  return (
    <div className={error === null ? 'field-note' : 'field-note overdue'} role="status">
      {error !== null && messageText(errorDetails(error).message)}
      {error === null && data?.dates.length === 0 && 'No task follows this one.'}
      {error === null && data !== undefined && data.dates.length > 0 && (
        <>
          Next due:{' '}
          {data.dates.map((date, index) => (
            <span key={date}>
              {index > 0 && '; '}
              <time dateTime={date}>{dateText(date)}</time>
            </span>
          ))}
        </>
      )}
    </div>
  );
}

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
