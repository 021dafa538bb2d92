import type { Session } from '../../database/session.ts';
import { EXPIRING_DAYS } from '../../entities/evidence/evidence.ts';
import { addDays, todayOf } from '../task/due.ts';

/** First day that evidence must reach not to be expiring: it is valid for these days from today in the time zone of the company. */
export const expiringBefore = async (session: Session): Promise<string> =>
  addDays(await todayOf(session), EXPIRING_DAYS);
