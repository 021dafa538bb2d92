import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { commentResource, commentStatements } from '../../entities/comment/comment.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { parentFields, readParent } from '../parent/parent.ts';
import type { CommentChanges, NewComment } from './schemas.ts';

export const actions = resourceActions(commentStatements);

/** Comments on a task or a vendor. @throws ApiError 404 without it, 422 for unusable mentions and for too many comments */
export async function createComment(
  session: Session,
  { text, mentions: mentionIds, ...parent }: z.infer<typeof NewComment>,
) {
  const invalid = commentResource.validate({ mentionIds });
  if (invalid !== undefined) {
    await readParent(session, parent);
    throw invalid;
  }
  const fields = { ...parentFields(parent), uniqueId: newUniqueId(), text, mentionIds };
  return createResource(session, commentStatements, fields, () => readParent(session, parent));
}

/** Changes a comment. @throws ApiError 403 for another user than its author, 422 for unusable mentions that the change adds */
export function changeComment(
  session: Session,
  { comment: uniqueId, mentions: mentionIds, ...input }: z.infer<typeof CommentChanges>,
  ifMatch: IfMatch,
) {
  const changes = { ...input, mentionIds };
  const parameters = {
    ...commentResource.changeParameters(changes),
    uniqueId,
    ifMatch,
    isValid: commentResource.validate(changes) === undefined,
  };
  return actions.update(session, parameters, changes, commentResource.applyChanges);
}
