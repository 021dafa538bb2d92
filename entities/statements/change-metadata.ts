import type { Actor, UserKind } from '../user.ts';

/** Columns of `entities/schema/change-metadata.ts` that a row of `alias` has by itself. */
export const ownMetadata = (alias: string) => `${alias}.created_at, ${alias}.updated_at, ${alias}.version`;

const actorColumns = (prefix: string) =>
  `${prefix}.unique_id as ${prefix}_id, ${prefix}.name as ${prefix}_name, ${prefix}.kind as ${prefix}_kind`;

/** Who created a row, from a `company_user creator` joined to it. */
export const creatorColumns = actorColumns('creator');

/** All stamps, as a statement selects them from a row of `alias` joined by `stampJoins(alias)`. */
export const metadataColumns = (alias: string) =>
  `${ownMetadata(alias)}, ${creatorColumns}, ${actorColumns('updater')}`;

export const joinsCreator = (alias: string) =>
  `creator.company_id = ${alias}.company_id and creator.unique_id = ${alias}.created_by_id`;

export const metadataJoins = (alias: string) => `
  join company_user creator on ${joinsCreator(alias)}
  join company_user updater on updater.company_id = ${alias}.company_id and updater.unique_id = ${alias}.updated_by_id`;

export interface OwnMetadata {
  created_at: string;
  updated_at: string;
  version: number;
}

export interface CreatorColumns {
  creator_id: string;
  creator_name: string;
  creator_kind: UserKind;
}

export interface MetadataRow extends OwnMetadata, CreatorColumns {
  updater_id: string;
  updater_name: string;
  updater_kind: UserKind;
}

/** What came of an update: a row as it has become, or as it was where it did not change. */
export type UpdateResult<Row> = Row & (({ is_changed: true } & CreatorColumns) | ({ is_changed: false } & MetadataRow));

/**
 * An update of one row that tells of the row in any case: what it has become, or else, in the same round trip, what it was.
 * @param update ends with the row's own columns, its stamps and its creator
 * @param selectCurrent selects the same and its updater
 */
export const updateReturningCurrent = (
  update: string,
  selectCurrent: (andColumns: string, andWhere: string) => string,
): string =>
  `with updated as (${update})
  select updated.*, null as updater_id, null as updater_name, null as updater_kind, true as is_changed from updated
  union all ${selectCurrent(', false', ' and not exists (select from updated)')}`;

/** The stamps as the contract shows them. */
export interface ChangeMetadata {
  createdAt: string;
  updatedAt: string;
  createdBy: Actor;
  updatedBy: Actor;
  version: number;
}

export const toCreator = ({ creator_id, creator_name, creator_kind }: CreatorColumns): Actor => ({
  uniqueId: creator_id,
  name: creator_name,
  kind: creator_kind,
});

export const toUpdater = ({ updater_id, updater_name, updater_kind }: MetadataRow): Actor => ({
  uniqueId: updater_id,
  name: updater_name,
  kind: updater_kind,
});

export function toChangeMetadata(row: OwnMetadata, createdBy: Actor, updatedBy: Actor): ChangeMetadata {
  const { created_at, updated_at, version } = row;
  return { createdAt: toIso(created_at), updatedAt: toIso(updated_at), createdBy, updatedBy, version };
}

/** A timestamptz(3) in UTC, as PostgreSQL writes it (`2027-01-31 12:00:00.5+00`), in the form of ISO 8601. */
export function toIso(timestamptz: string): string {
  const milliseconds = timestamptz.slice(20, -3).padEnd(3, '0');
  return `${timestamptz.slice(0, 10)}T${timestamptz.slice(11, 19)}.${milliseconds}Z`;
}
