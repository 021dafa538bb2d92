import { CHANGED_AT, metadataJoins } from '../statements/change-metadata.ts';
import { batchedWrite, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { matchesEntityTag } from '../statements/entity-tag.ts';
import type { IfMatch } from '../statements/entity-tag.ts';
import { columnsWithMetadata, updateReturningCurrent } from '../statements/columns.ts';
import type { UpdateResult } from '../statements/columns.ts';
import { orderBy, pageOf } from '../statements/order.ts';
import type { Position } from '../statements/order.ts';
import { SAMPLE_ORDER, withSample } from '../statements/sample.ts';
import type { Sample } from '../statements/sample.ts';
import { resourceStatements } from '../statements/resource.ts';
import { readCondition, writeConditions } from '../schema/access.ts';
import { evidenceResource } from './evidence.ts';
import type { CheckResult } from './evidence.ts';
import { isExpiring } from './expiring.ts';

type Types = NonNullable<(typeof evidenceResource)['~fields']>;

export const evidenceStatements = resourceStatements<
  Types['created'],
  Types['fields'],
  ReturnType<typeof evidenceResource.deriveFields>,
  object,
  Types['readOnly']
>(evidenceResource);

/** Evidence as a statement selects it. */
export type EvidenceRow = Parameters<typeof evidenceStatements.toRecord>[0];

/** A piece of evidence of the API, with the ids of its parent and its file. */
export type EvidenceRecord = ReturnType<typeof evidenceStatements.toRecord>;

interface Check {
  uniqueId: string;
  ifMatch: IfMatch;
  /** Null withdraws the check. */
  result: CheckResult | null;
  note: string;
}

/** Checks evidence, or withdraws its check. Returns the evidence in any case. */
export const checkEvidence = batchedWrite<Check, UpdateResult<EvidenceRow>>(
  'evidence.check',
  (placeholders) => {
    const { user, result, note } = placeholders;
    return updateReturningCurrent(
      evidenceResource,
      placeholders,
      `checked = case when ${result}::text is not null then
      jsonb_build_object('result', ${result}::text, 'note', ${note}::text, 'at', ${CHANGED_AT}, 'by', ${user}::uuid) end,
    version = evidence.version + 1, updated_at = now(), updated_by_id = ${user}::uuid`,
      [
        `(${result}::text is not null or evidence.checked is not null)`,
        ...writeConditions(evidenceResource, placeholders, 'write'),
        matchesEntityTag(evidenceResource, placeholders),
      ],
    );
  },
  ({ uniqueId }) => uniqueId,
);

/** Result of the check of evidence by which lists are filtered. */
type CheckFilter = CheckResult | 'none';

interface AllEvidence {
  expiresBefore: string | null;
  check: CheckFilter | null;
  limit: number;
}

/** Condition on evidence `t` of the company: the scopes and the frameworks of the principal reach it, and it matches the filters. */
const isListed = (placeholders: Placeholders<AllEvidence>) => `t.company_id = ${placeholders.company}
      and ${readCondition(evidenceResource, 't', placeholders)}
      and (${placeholders.expiresBefore}::date is null or ${isExpiring('t', `${placeholders.expiresBefore}::date`)})
      and (${placeholders.check}::text is null or coalesce(t.checked->>'result', 'none') = ${placeholders.check})`;

/**
 * Evidence of the company that the scopes and the frameworks of the principal reach, newest first, before an id.
 * @param expiresBefore date before which expiring evidence ends; null for any evidence
 */
export const pageAllEvidence = readStatement<AllEvidence & { beforeId: string }, EvidenceRow>(
  'evidence.page-all',
  (placeholders) => `select ${columnsWithMetadata(evidenceResource, 'e')}
  from (select * from evidence t
    where ${isListed(placeholders)} and t.unique_id < ${placeholders.beforeId}::uuid
    order by t.unique_id desc limit ${placeholders.limit}::int) e ${metadataJoins('e')}
  order by e.unique_id desc`,
);

/** The same in the order of a sample. */
export const sampleAllEvidence = readStatement<AllEvidence & Position & Sample, EvidenceRow>(
  'evidence.sample-all',
  (placeholders) => `select ${columnsWithMetadata(evidenceResource, 'e')}
  from (${pageOf(SAMPLE_ORDER, withSample('evidence t', placeholders), `${isListed(placeholders)} and`, placeholders)}) found
  join evidence e on e.company_id = ${placeholders.company} and e.unique_id = found.unique_id ${metadataJoins('e')}
  order by ${orderBy(SAMPLE_ORDER, 'found')}`,
);

/** Maximum number of listed pieces of evidence. */
export const MAX_EXPIRING_EVIDENCE = 10;

interface ExpiringRow {
  uniqueId: string;
  name: string;
  validUntil: string;
  type: 'task' | 'vendor' | 'requirement';
  parent: string;
  title: string;
  /** The same in all rows. */
  total: number;
}

/** Expiring evidence that the scopes and the frameworks of the principal reach: those that end first, and the number of all. */
export const expiringEvidence = readStatement<{ before: string }, ExpiringRow>(
  'overview.evidence',
  (placeholders) => `with expiring as materialized (
    select e.unique_id, e.valid_until from evidence e
    where e.company_id = ${placeholders.company} and ${isExpiring('e', `${placeholders.before}::date`)}
      and ${readCondition(evidenceResource, 'e', placeholders)})
  select e.unique_id as "uniqueId", e.name, e.valid_until as "validUntil",
    case when t.unique_id is not null then 'task' when v.unique_id is not null then 'vendor' else 'requirement' end as type,
    coalesce(t.unique_id, v.unique_id, r.unique_id) as parent, coalesce(t.title, v.name, r.ref || ' ' || r.title) as title,
    (select count(*)::int from expiring) as total
  from (select * from expiring order by valid_until, unique_id limit ${MAX_EXPIRING_EVIDENCE}) first
  join evidence e on e.company_id = ${placeholders.company} and e.unique_id = first.unique_id
  left join task t on t.company_id = e.company_id and t.unique_id = e.task_id
  left join vendor v on v.company_id = e.company_id and v.unique_id = e.vendor_id
  left join requirement r on r.company_id = e.company_id and r.unique_id = e.requirement_id
  order by e.valid_until, e.unique_id`,
);
