import { addDays } from '../task/due.ts';

/** Last day of the filter `month`, in days after today. Contract, section 21. */
export const MONTH_DAYS = 30;

/** Last day of the vendors whose review or contract is due this month, included. */
export const lastDayOfMonth = (today: string) => addDays(today, MONTH_DAYS);
