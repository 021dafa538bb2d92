import { ApiError } from '../../entities/api-error.ts';
import { entityTag } from '../../entities/statements/entity-tag.ts';
import type { IfMatch, Versioned } from '../../entities/statements/entity-tag.ts';
import type { Context } from './context.ts';

const hasName = (actor: unknown): actor is { name: string } =>
  typeof actor === 'object' && actor !== null && 'name' in actor && typeof actor.name === 'string';

/** Checks only the fields that the entity tag needs, because the output schema has validated the rest. */
const isVersioned = (output: object): output is Versioned =>
  'version' in output &&
  typeof output.version === 'number' &&
  'createdBy' in output &&
  hasName(output.createdBy) &&
  'updatedBy' in output &&
  hasName(output.updatedBy);

/**
 * Entity tag of a response that is a task or a vendor, without quotes (RFC 9110, section 8.8.3).
 * @throws Error for any other response
 */
export function responseEntityTag(output: unknown): string {
  if (typeof output !== 'object' || output === null || !isVersioned(output))
    throw new Error('entity tag: the response has no version');
  return entityTag(output);
}

/** Condition of a change: `ifMatch` of the input over tRPC, or `If-Match` of REST. */
export const ifMatchOf = ({ ifMatch = null }: Pick<Context, 'ifMatch'>, tag: string | undefined): IfMatch =>
  tag === undefined ? ifMatch : [tag];

/** @throws ApiError 412 for an `If-Match` on a resource that has no entity tag */
export function requireNoIfMatch({ ifMatch }: Pick<Context, 'ifMatch'>, resource: string): void {
  if (ifMatch !== undefined && ifMatch !== null)
    throw new ApiError('precondition_failed', `If-Match: ${resource} has no entity tag`);
}
