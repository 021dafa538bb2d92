/** A table whose rows have evidence. */
type ParentTable = 'task' | 'vendor';

/** Condition: both rows belong to the same task or vendor. */
const ofSameParent = (one: string, other: string) =>
  `${one}.company_id = ${other}.company_id and (${one}.task_id = ${other}.task_id or ${one}.vendor_id = ${other}.vendor_id)`;

/**
 * Condition: evidence ends before a date, and no other of the same object is valid longer. Contract, section 19.
 * @param before SQL of the date: today and the days of `EXPIRING_DAYS`
 */
export const isExpiring = (alias: string, before: string) =>
  `${alias}.valid_until < ${before} and not exists (select from evidence longer
    where ${ofSameParent('longer', alias)} and (longer.valid_until is null or longer.valid_until > ${alias}.valid_until))`;

/** SQL of the number of pieces of evidence of a task or vendor. */
export const evidenceCount = (table: ParentTable, alias: string) =>
  `(select count(*)::int from evidence where company_id = ${alias}.company_id and ${table}_id = ${alias}.unique_id)`;

/** Condition: the evidence of a task or vendor is expiring: some ends before a date, and none is valid longer. */
export const hasExpiringEvidence = (table: ParentTable, alias: string, before: string) =>
  `(select max(coalesce(valid_until, 'infinity')) from evidence
    where company_id = ${alias}.company_id and ${table}_id = ${alias}.unique_id) < ${before}`;
