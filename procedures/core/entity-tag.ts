import { entityTag } from '../../entities/statements/entity-tag.ts';
import type { Versioned } from '../../entities/statements/entity-tag.ts';

const hasName = (actor: unknown): actor is { name: string } =>
  typeof actor === 'object' && actor !== null && 'name' in actor && typeof actor.name === 'string';

/** An answer has been held against its own schema already. */
const isVersioned = (output: object): output is Versioned =>
  'version' in output &&
  typeof output.version === 'number' &&
  'createdBy' in output &&
  hasName(output.createdBy) &&
  'updatedBy' in output &&
  hasName(output.updatedBy);

/** The entity tag of an answer that is a task or a vendor, without its quotes. */
export function responseEntityTag(output: unknown): string {
  if (typeof output !== 'object' || output === null || !isVersioned(output))
    throw new Error('an answer without a version');
  return entityTag(output);
}
