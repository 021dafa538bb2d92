import { Tooltip } from '@mantine/core';
import './absolute-time.css';
import { relativeTime } from './relative-time.tsx';

// In the language and time zone of the browser.
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A time to the second, with its zone. */
export const exactTime = (value: string): string => exact.format(new Date(value));

/** A date with its time, with the relative one in a tooltip. A narrow column breaks it between the two. */
export function AbsoluteTime({ value }: { value: string }) {
  const instant = new Date(value);
  return (
    <Tooltip label={relativeTime(value)}>
      <time dateTime={value} className="absolute-time">
        <span>{date.format(instant)},</span> <span>{time.format(instant)}</span>
      </time>
    </Tooltip>
  );
}
