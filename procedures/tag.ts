import { tagOf } from '../entities/statements/tag.ts';
import type { Tagged } from '../entities/statements/tag.ts';

const isNamed = (actor: unknown): actor is { name: string } =>
  typeof actor === 'object' && actor !== null && 'name' in actor && typeof actor.name === 'string';

/** An answer has been held against its own schema already. */
const isTagged = (answer: object): answer is Tagged =>
  'version' in answer &&
  typeof answer.version === 'number' &&
  'createdBy' in answer &&
  isNamed(answer.createdBy) &&
  'updatedBy' in answer &&
  isNamed(answer.updatedBy);

/** The entity tag of an answer that is a task or a vendor, without its quotes. */
export function tagOfAnswer(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !isTagged(answer))
    throw new Error('an answer without a version');
  return tagOf(answer);
}
