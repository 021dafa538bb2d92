import { hash } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import type { Actor } from '../user.ts';
import type { Placeholders } from './define-statement.ts';

/** What tells one state of a task or vendor from another. */
export interface Versioned {
  version: number;
  createdBy: Pick<Actor, 'name'>;
  updatedBy: Pick<Actor, 'name'>;
}

/** The tags of which a resource must have one to be changed; null where any will do. Contract, section 2. */
export type IfMatch = readonly string[] | null;

/** Enough to tell names apart; the version tells everything else. `entity_tag` takes as many. */
const DIGEST_LENGTH = 8;

/**
 * The opaque part of the entity tag: the version, and a digest of what an answer shows beside it, as users are renamed
 * with their keys and no version is raised.
 */
export const entityTag = ({ version, createdBy, updatedBy }: Versioned): string =>
  `${version}-${hash('sha256', `${createdBy.name}\n${updatedBy.name}`, 'hex').slice(0, DIGEST_LENGTH)}`;

/**
 * Whether the row that a statement is about to change has one of the tags. The function `entity_tag` says in SQL what
 * `tagOf` does: subqueries in its place would cost each change without `If-Match` a fifth more.
 */
export const matchesEntityTag = (
  { ifMatch }: Placeholders<{ ifMatch: IfMatch }>,
  alias: string,
) => `(${ifMatch}::text[] is null
  or entity_tag(${alias}.company_id, ${alias}.version, ${alias}.created_by_id, ${alias}.updated_by_id) = any(${ifMatch}))`;

/** @throws Refusal 412 where the resource, as it was read, has none of the tags. */
export function requireIfMatch(ifMatch: IfMatch, current: Versioned): void {
  if (ifMatch === null || ifMatch.includes(entityTag(current))) return;
  throw new ApiError('precondition_failed', 'If-Match: this was changed since; read it again');
}
