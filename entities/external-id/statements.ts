import type { Resource } from '../schema/resource-definition.ts';
import { EXTERNAL_ID_LIMITS } from './external-id.ts';
import type { ExternalIdType, ExternalReference } from './external-id.ts';
import { creatorColumns, joinsCreator, metadataJoins, ownMetadata } from '../statements/change-metadata.ts';
import type { CreatorColumns, MetadataRow, OwnMetadata } from '../statements/change-metadata.ts';
import { defineStatement, pipelinedRead } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { columnsWithMetadata, ownColumns } from '../statements/columns.ts';
import { isReservation, insertedReservation, listedEntry, lockTargets, lockedExternalId } from './reservation.ts';
import type { ExternalIdKey } from './reservation.ts';

/** Fields that every resource with external ids has. */
export interface ExternalIds {
  externalIds: ExternalReference[];
}

interface Reserved {
  /** The object that the external id is reserved for. It may be deleted. */
  reserved_for: string;
}

/**
 * Statements that find and link the objects of a type by external id.
 * @param frameworkColumn SQL of the framework of a row
 */
export function externalIdStatements<
  Created extends object,
  Fields extends object,
  Derived extends object,
  ReadOnly extends ExternalIds,
>(type: ExternalIdType, resource: Resource<Created, Fields, Derived, ReadOnly>, frameworkColumn: string) {
  type Row = { uniqueId: string } & Created & Fields & ReadOnly & OwnMetadata;
  const { table } = resource;

  return {
    /** The reservation and its object. No row if the external id was never used. */
    find: pipelinedRead<ExternalIdKey, Reserved & ((Row & MetadataRow) | { creator_id: null })>(
      `${type}.get-by-external-id`,
      (placeholders) => `select x.resource_id as reserved_for, ${columnsWithMetadata(resource, table)}
  from external_id x left join (${table} ${metadataJoins(table)})
    on ${table}.company_id = x.company_id and ${table}.unique_id = x.resource_id
  where ${isReservation(type, placeholders)}`,
    ),
    /** Adds an external id. No row if the object is missing or has the maximum number, or if the id is reserved. */
    link: defineStatement<ExternalIdKey & { uniqueId: string }, Row & CreatorColumns>(
      `${type}.link`,
      // The row is locked before the id is reserved, so that the update finds the newest row and cannot fail any more.
      (
        placeholders: Placeholders<ExternalIdKey & { uniqueId: string }>,
      ) => `with ${lockedExternalId(type, placeholders)},
  target as materialized (
    select o.unique_id from ${table} o, locked
    where o.company_id = ${placeholders.company} and o.unique_id = ${placeholders.uniqueId}::uuid
      and ${frameworkColumn} = ${placeholders.framework}::int
      and jsonb_array_length(o.external_ids) < ${EXTERNAL_ID_LIMITS.perObject}
    for no key update of o),
  ${insertedReservation(type, placeholders, 'target.unique_id', 'target')}
  update ${table} set external_ids = ${table}.external_ids || ${listedEntry(placeholders)},
    version = ${table}.version + 1, updated_at = now(), updated_by_id = ${placeholders.user}::uuid
  from reserved, company_user creator
  where ${table}.company_id = ${placeholders.company} and ${table}.unique_id = reserved.resource_id and ${joinsCreator(table)}
  returning ${ownColumns(resource, table)}, ${ownMetadata(table)}, ${creatorColumns}`,
    ),
    lockTargets: lockTargets(type),
  };
}
