import type { Actor, UserKind } from '../company/user.ts';

/** Columns of `entities/schema/resource.ts` in the row of `alias` itself. */
export const ownMetadata = (alias: string) =>
  `${alias}.created_at as "createdAt", ${alias}.updated_at as "updatedAt", ${alias}.version`;

const actorColumns = (prefix: string) =>
  `${prefix}.unique_id as ${prefix}_id, ${prefix}.name as ${prefix}_name, ${prefix}.kind as ${prefix}_kind`;

/** Columns of the creator, from a joined `company_user creator`. */
export const creatorColumns = actorColumns('creator');

/** Columns of all change metadata, from a row joined by `metadataJoins(alias)`. */
export const metadataColumns = (alias: string) =>
  `${ownMetadata(alias)}, ${creatorColumns}, ${actorColumns('updater')}`;

export const joinsCreator = (alias: string) =>
  `creator.company_id = ${alias}.company_id and creator.unique_id = ${alias}.created_by_id`;

export const metadataJoins = (alias: string) => `
  join company_user creator on ${joinsCreator(alias)}
  join company_user updater on updater.company_id = ${alias}.company_id and updater.unique_id = ${alias}.updated_by_id`;

export interface OwnMetadata {
  /** As PostgreSQL writes it: see `toIso`. */
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface CreatorColumns {
  creator_id: string;
  creator_name: string;
  creator_kind: UserKind;
}

interface UpdaterColumns {
  updater_id: string;
  updater_name: string;
  updater_kind: UserKind;
}

export interface MetadataRow extends OwnMetadata, CreatorColumns, UpdaterColumns {}

/** Change metadata of a response. */
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

export const toUpdater = ({ updater_id, updater_name, updater_kind }: UpdaterColumns): Actor => ({
  uniqueId: updater_id,
  name: updater_name,
  kind: updater_kind,
});

/** Fields of a row with their change metadata, without the columns of its users. */
export function withMetadata<Fields extends object>(
  row: Fields & OwnMetadata & Partial<MetadataRow & { is_changed: boolean; reserved_for: string }>,
  createdBy: Actor,
  updatedBy: Actor,
): Fields & ChangeMetadata {
  const {
    creator_id: _creatorId,
    creator_name: _creatorName,
    creator_kind: _creatorKind,
    updater_id: _updaterId,
    updater_name: _updaterName,
    updater_kind: _updaterKind,
    is_changed: _isChanged,
    reserved_for: _reservedFor,
    ...fields
  } = row;
  const metadata = { createdAt: toIso(row.createdAt), updatedAt: toIso(row.updatedAt), createdBy, updatedBy };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler cannot subtract columns from a generic row
  return { ...fields, ...metadata } as Fields & ChangeMetadata;
}

/**
 * SQL of the time of a change as a JSON column holds it, in ISO 8601. The column updated_at rounds to milliseconds, and to_char cuts
 * them: both then have the same time.
 */
export const CHANGED_AT = `to_char(now()::timestamptz(3) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Converts a timestamptz in UTC from PostgreSQL's text (`2027-01-31 12:00:00.5+00`) to ISO 8601 with milliseconds. */
export function toIso(timestamptz: string): string {
  const milliseconds = timestamptz.slice(20, -3).slice(0, 3).padEnd(3, '0');
  return `${timestamptz.slice(0, 10)}T${timestamptz.slice(11, 19)}.${milliseconds}Z`;
}

/** `toIso` of a timestamp that may be null. */
export const toIsoOrNull = (timestamptz: string | null) => (timestamptz === null ? null : toIso(timestamptz));
