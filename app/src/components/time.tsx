import { Tooltip } from '@mantine/core';
import { dateText, exactTime, relativeTime, timeParts } from '../dates.ts';
import './time.css';

interface TimeProps {
  /** Timestamp of the API. */
  value: string;
  /** Shows seconds. */
  isExact?: boolean;
  /** Adds the time from now: "in 3 weeks". */
  withRelative?: boolean;
}

/** A time: "12 Oct 2026, 14:30". Its tooltip has seconds, zone and the time from now. */
export function Time({ value, isExact = false, withRelative = false }: TimeProps) {
  const { day, time } = timeParts(value, isExact);
  const fromNow = relativeTime(value);
  return (
    <Tooltip label={`${exactTime(value)}, ${fromNow}`}>
      <time dateTime={value} className="time">
        <span>{day},</span> <span>{withRelative ? `${time},` : time}</span>
        {withRelative && (
          <>
            {' '}
            <span className="quiet">{fromNow}</span>
          </>
        )}
      </time>
    </Tooltip>
  );
}

interface CalendarDateProps {
  /** Date of the API: "2026-10-12". */
  value: string;
  /** Words beside the date: "in 3 days". */
  addition?: string | undefined;
  isOverdue?: boolean;
}

/** A calendar date: "12 Oct 2026, 42 days overdue". */
export const CalendarDate = ({ value, addition, isOverdue = false }: CalendarDateProps) => (
  <time dateTime={value} className={isOverdue ? 'time overdue' : 'time'}>
    <span>{addition === undefined ? dateText(value) : `${dateText(value)},`}</span>
    {addition !== undefined && (
      <>
        {' '}
        <span className={isOverdue ? '' : 'quiet'}>{addition}</span>
      </>
    )}
  </time>
);
