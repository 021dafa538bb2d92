import type { ParametersOf } from '../fields/filters.ts';
import { enumInput, forModels } from '../fields/schemas.ts';
import { pipelinedRead } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { EXPIRING_DAYS } from './evidence.ts';

/** A table whose rows have evidence. */
type ParentTable = 'task' | 'vendor' | 'requirement';

/** Condition: both rows belong to the same object. */
const ofSameParent = (one: string, other: string) =>
  `${one}.company_id = ${other}.company_id and (${one}.task_id = ${other}.task_id or ${one}.vendor_id = ${other}.vendor_id or ${one}.requirement_id = ${other}.requirement_id)`;

/**
 * Condition: evidence ends before a date, and no other of the same object is valid longer. Contract, section 19.
 * @param before SQL of the date: today and the days of `EXPIRING_DAYS`
 */
export const isExpiring = (alias: string, before: string) =>
  `${alias}.valid_until < ${before} and not exists (select from evidence longer
    where ${ofSameParent('longer', alias)} and (longer.valid_until is null or longer.valid_until > ${alias}.valid_until))`;

/** Filter of a list of tasks or vendors by their evidence. Contract, section 19. */
export const evidenceFilters = {
  evidence: {
    schema: enumInput(['none', 'some', 'expiring'])
      .meta({
        description:
          `\`none\`: without evidence; \`some\`: with evidence; \`expiring\`: all of it is valid for less than ${EXPIRING_DAYS} days, or no longer. ` +
          'Today is that of the time zone of the company.',
        examples: ['expiring'],
      })
      .register(forModels, { description: undefined }),
  },
  /** True for those with evidence, false for those without. */
  hasEvidence: { type: 'boolean', toValue: (given: boolean) => given },
  /** Only those with evidence that is expiring: it ends before this date. */
  expiresBefore: { type: 'date' },
};

/** Parameters of the filter; null for no filter. */
export type EvidenceFilter = Pick<ParametersOf<typeof evidenceFilters>, 'hasEvidence' | 'expiresBefore'>;

/** SQL of the end of all evidence of an object. */
const LAST_DAY = `max(coalesce(e.valid_until, 'infinity'))`;

/**
 * Condition: a row matches the filter. Scalar subqueries, which PostgreSQL looks up in an index for each row. It would join the tables
 * for `exists`, and choose a slow way before it has statistics of them.
 */
export const matchesEvidence = (
  table: ParentTable,
  alias: string,
  { hasEvidence, expiresBefore }: Placeholders<EvidenceFilter>,
) => {
  const evidence = `from evidence e where e.company_id = ${alias}.company_id and e.${table}_id = ${alias}.unique_id`;
  return `case when ${expiresBefore}::date is null then ((select true ${evidence} limit 1) is not null) = ${hasEvidence}::boolean
    else (select ${LAST_DAY} ${evidence}) < ${expiresBefore}::date end`;
};

/** SQL of the ids of the tasks with evidence that matches the filter, each once, as `task_id`. */
export const tasksWithEvidence = ({ company, expiresBefore }: Placeholders<Pick<EvidenceFilter, 'expiresBefore'>>) =>
  `select e.task_id from evidence e where e.company_id = ${company} and e.task_id is not null
    group by e.task_id having ${expiresBefore}::date is null or ${LAST_DAY} < ${expiresBefore}::date`;

/** Maximum number of pieces of evidence, or of tasks with a label, for which a list of tasks begins with these. */
export const MAX_RARE = 5000;

/** True if few tasks can match a filter for evidence. */
export const isEvidenceRare = pipelinedRead<Pick<EvidenceFilter, 'expiresBefore'>, { rare: boolean }>(
  'task.is-evidence-rare',
  ({ company, expiresBefore }) => `select count(*) <= ${MAX_RARE} as rare from (
    select from evidence e where e.company_id = ${company} and e.task_id is not null
      and (${expiresBefore}::date is null or e.valid_until < ${expiresBefore}) limit ${MAX_RARE + 1}) counted`,
);
