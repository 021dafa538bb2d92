import type { Actor, UserKind } from '../user.ts';

/** Columns of `entities/stamps.ts` as a statement selects them from a row `alias` joined by `stampJoins(alias)`. */
export const stampColumns = (alias: string) => `
  ${alias}.created_at, ${alias}.updated_at, ${alias}.version,
  ${alias}.created_by_id, creator.name as creator_name, creator.kind as creator_kind,
  ${alias}.updated_by_id, updater.name as updater_name, updater.kind as updater_kind`;

export const stampJoins = (alias: string, join: 'join' | 'left join' = 'join') => `
  ${join} company_user creator on creator.company_id = ${alias}.company_id and creator.unique_id = ${alias}.created_by_id
  ${join} company_user updater on updater.company_id = ${alias}.company_id and updater.unique_id = ${alias}.updated_by_id`;

export interface StampRow {
  created_at: string;
  updated_at: string;
  version: number;
  created_by_id: string;
  creator_name: string;
  creator_kind: UserKind;
  updated_by_id: string;
  updater_name: string;
  updater_kind: UserKind;
}

/** The stamps as the contract shows them. */
export interface Stamps {
  createdAt: string;
  updatedAt: string;
  createdBy: Actor;
  updatedBy: Actor;
  version: number;
}

export function toStamps(row: StampRow): Stamps {
  return {
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    createdBy: { uniqueId: row.created_by_id, name: row.creator_name, kind: row.creator_kind },
    updatedBy: { uniqueId: row.updated_by_id, name: row.updater_name, kind: row.updater_kind },
    version: row.version,
  };
}

/** PostgreSQL's text of a timestamptz as ISO 8601 in UTC. */
export const toIso = (timestamptz: string) => new Date(timestamptz).toISOString();
