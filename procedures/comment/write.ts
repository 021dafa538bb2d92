import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { commentResource, validateMentions } from '../../entities/comment/comment.ts';
import { commentStatements, findUnusableMentions } from '../../entities/comment/statements.ts';
import { NO_FRAMEWORK, newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { parentFields, readParentFramework } from '../parent/parent.ts';
import type { CommentChanges, NewComment } from './schemas.ts';

export const actions = resourceActions(commentStatements);

/** Comments on a task or a vendor. @throws ApiError 404 without it, 422 for unusable mentions and for too many comments */
export async function createComment(
  session: Session,
  { text, mentions: mentionIds, ...parent }: z.infer<typeof NewComment>,
) {
  const invalid = validateMentions(mentionIds);
  const explain = async () => {
    const framework = await readParentFramework(session, parent);
    if (invalid !== undefined) throw invalid;
    await requireUsableMentions(session, framework, mentionIds);
  };
  if (invalid !== undefined) await explain();
  const fields = { ...parentFields(parent), uniqueId: newUniqueId(), text, mentionIds };
  return createResource(session, commentStatements, fields, explain);
}

/** Changes a comment. @throws ApiError 403 for another user than its author, 422 for unusable mentions that the change adds */
export function changeComment(
  session: Session,
  { comment: uniqueId, mentions: mentionIds, ...input }: z.infer<typeof CommentChanges>,
  ifMatch: IfMatch,
) {
  const changes = { ...input, mentionIds };
  const invalid = validateMentions(mentionIds ?? []);
  const parameters = {
    ...commentResource.changeParameters(changes),
    uniqueId,
    ifMatch,
    isValid: invalid === undefined,
  };
  return actions.update(session, parameters, changes, commentResource.applyChanges, {
    checkReferences: async ({ framework = NO_FRAMEWORK, mentionIds: present }) => {
      if (invalid !== undefined) throw invalid;
      const added = (mentionIds ?? []).filter((id) => !present.includes(id));
      await requireUsableMentions(session, framework, added);
    },
  });
}

async function requireUsableMentions(session: Session, framework: number, mentionIds: readonly string[]) {
  const unusable = await session.run(findUnusableMentions, { framework, mentionIds });
  if (unusable.length === 0) return;
  const ids = unusable.map(({ id }) => id).join(', ');
  throw new ApiError('unprocessable', `mentions: expected active members who may see it; cannot be mentioned: ${ids}`);
}
