import { tamper } from '../database/database.ts';

/** Moves the events of a company into the current minute, in their order, so that no group of them ends with a minute. */
export const inOneMinute = ({ id }: { id: number }): Promise<void> =>
  tamper(`update audit_event set occurred_at = date_trunc('minute', now()) where company_id = ${id}`);
