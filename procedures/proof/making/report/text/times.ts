const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

/** A calendar date: "12 Oct 2026". */
export function dateText(date: string): string {
  const [year = '', month = '', day = ''] = date.slice(0, 10).split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** Days from a calendar date to a later one. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** Times as a company reads them. */
export class Times {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.zone = zone;
    // Swedish has dates as ISO 8601 has them.
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  }

  /** The calendar date of a time: "2026-10-12". */
  dateOf(time: string): string {
    return this.#format.format(new Date(time)).slice(0, 10);
  }

  /** "12 Oct 2026, 14:05" */
  text(time: string): string {
    const text = this.#format.format(new Date(time));
    return `${dateText(text)}, ${text.slice(11, 16)}`;
  }

  /** The same with the exact time in UTC. */
  exact(time: string): string {
    return `${this.text(time)} (${time})`;
  }
}
