import type { Actor, UserKind } from '../user.ts';

/** Columns of `entities/stamps.ts` that a row of `alias` has by itself. */
export const ownStamps = (alias: string) => `${alias}.created_at, ${alias}.updated_at, ${alias}.version`;

const actorColumns = (as: string) => `${as}.unique_id as ${as}_id, ${as}.name as ${as}_name, ${as}.kind as ${as}_kind`;

/** Who created a row, from a `company_user creator` joined to it. */
export const creator = actorColumns('creator');

/** All stamps, as a statement selects them from a row of `alias` joined by `stampJoins(alias)`. */
export const stampColumns = (alias: string) => `${ownStamps(alias)}, ${creator}, ${actorColumns('updater')}`;

export const isCreatorOf = (alias: string) =>
  `creator.company_id = ${alias}.company_id and creator.unique_id = ${alias}.created_by_id`;

export const stampJoins = (alias: string) => `
  join company_user creator on ${isCreatorOf(alias)}
  join company_user updater on updater.company_id = ${alias}.company_id and updater.unique_id = ${alias}.updated_by_id`;

export interface OwnStamps {
  created_at: string;
  updated_at: string;
  version: number;
}

export interface CreatorColumns {
  creator_id: string;
  creator_name: string;
  creator_kind: UserKind;
}

export interface StampRow extends OwnStamps, CreatorColumns {
  updater_id: string;
  updater_name: string;
  updater_kind: UserKind;
}

/** What came of an update: a row as it has become, or as it was where it did not change. */
export type Updated<Row> = Row & (({ is_changed: true } & CreatorColumns) | ({ is_changed: false } & StampRow));

/**
 * An update of one row that tells of the row in any case: what it has become, or else, in the same round trip, what it was.
 * @param update ends with the row's own columns, its stamps and its creator
 * @param found selects the same and its updater
 */
export const updateOrFind = (update: string, found: (andColumns: string, andWhere: string) => string): string =>
  `with changed as (${update})
  select changed.*, null as updater_id, null as updater_name, null as updater_kind, true as is_changed from changed
  union all ${found(', false', ' and not exists (select from changed)')}`;

/** The stamps as the contract shows them. */
export interface Stamps {
  createdAt: string;
  updatedAt: string;
  createdBy: Actor;
  updatedBy: Actor;
  version: number;
}

export const creatorOf = ({ creator_id, creator_name, creator_kind }: CreatorColumns): Actor => ({
  uniqueId: creator_id,
  name: creator_name,
  kind: creator_kind,
});

export const updaterOf = ({ updater_id, updater_name, updater_kind }: StampRow): Actor => ({
  uniqueId: updater_id,
  name: updater_name,
  kind: updater_kind,
});

export function toStamps(row: OwnStamps, createdBy: Actor, updatedBy: Actor): Stamps {
  const { created_at, updated_at, version } = row;
  return { createdAt: toIso(created_at), updatedAt: toIso(updated_at), createdBy, updatedBy, version };
}

/** A timestamptz(3) in UTC, as PostgreSQL writes it (`2027-01-31 12:00:00.5+00`), in the form of ISO 8601. */
export function toIso(timestamptz: string): string {
  const milliseconds = timestamptz.slice(20, -3).padEnd(3, '0');
  return `${timestamptz.slice(0, 10)}T${timestamptz.slice(11, 19)}.${milliseconds}Z`;
}
