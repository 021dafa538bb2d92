import { metadataJoins } from '../statements/change-metadata.ts';
import { readStatement } from '../statements/define-statement.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { resourceStatements } from '../statements/resource.ts';
import { evidenceResource } from './evidence.ts';
import { isExpiring } from './expiring.ts';
import { isReachable } from './reachable.ts';

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

/**
 * Evidence of the company that the scopes and the frameworks of the principal reach, newest first, before an id.
 * @param expiresBefore date before which expiring evidence ends; null for any evidence
 */
export const pageAllEvidence = readStatement<
  { beforeId: string; expiresBefore: string | null; limit: number },
  EvidenceRow
>(
  'evidence.page-all',
  (placeholders) => `select ${columnsWithMetadata(evidenceResource, 'e')}
  from (select * from evidence e
    where e.company_id = ${placeholders.company} and e.unique_id < ${placeholders.beforeId}::uuid
      and ${isReachable('e', placeholders)}
      and (${placeholders.expiresBefore}::date is null or ${isExpiring('e', `${placeholders.expiresBefore}::date`)})
    order by e.unique_id desc limit ${placeholders.limit}::int) e ${metadataJoins('e')}
  order by e.unique_id desc`,
);
