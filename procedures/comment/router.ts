import { z } from 'zod';
import { MAX_COMMENTS, commentResource, commentStatements } from '../../entities/comment/comment.ts';
import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { createResource, listChildren, resourceActions } from '../core/resource.ts';
import { changeProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentFields, parentOperations, readParent } from '../parent/parent.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';
import {
  CommentChanges,
  CommentId,
  CommentOutput,
  CommentQuery,
  NewComment,
  newCommentShape,
  ofComment,
} from './schemas.ts';

const operation = operationTexts('Comments');
const RIGHTS = 'Needs the write scope of the task, vendor or requirement.';

/** Operations below each kind of parent, and texts of the others, in the OpenAPI document. */
const openapi = {
  create: (noun: string) => ({
    method: 'POST' as const,
    path: '/comment/new' as const,
    ...operation(
      `create${nounOf(noun)}Comment`,
      `Comment on a ${noun}`,
      `The ${noun} itself does not change. A ${noun} has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`,
    ),
    errorResponses: [404, 422],
  }),
  list: (noun: string) => ({
    method: 'GET' as const,
    path: '/comment/list' as const,
    ...operation(`list${nounOf(noun)}Comments`, `List the comments on a ${noun}`, 'Oldest first.'),
  }),
  get: operation('getComment', 'Read a comment', 'Needs the read scope of the task, vendor or requirement.'),
  update: operation(
    'updateComment',
    'Change a comment',
    `Only its author may change it. Omitted fields keep their value. ${RIGHTS}`,
  ),
  delete: operation(
    'deleteComment',
    'Delete a comment',
    `Only its author and admins may delete it. The audit log keeps it. ${RIGHTS}`,
  ),
};

const EITHER = 'Takes one of `taskUniqueId`, `vendor` and `requirement`.';

/** Texts for models, of procedures with an operation for each kind of parent. */
const MCP = {
  create: { title: 'Comment on a task, a vendor or a requirement', description: EITHER },
  list: {
    title: 'List the comments on a task, a vendor or a requirement',
    description: `${EITHER} Oldest first.`,
  },
};

const actions = resourceActions(commentStatements);

/** Comments on an object. @throws ApiError 404 without it, 422 for unusable mentions and for too many comments */
async function createComment(session: Session, { text, mentions: mentionIds, ...parent }: z.infer<typeof NewComment>) {
  const invalid = commentResource.validate({ mentionIds });
  if (invalid !== undefined) {
    await readParent(session, parent);
    throw invalid;
  }
  const fields = { ...parentFields(parent), uniqueId: newUniqueId(), text, mentionIds };
  return createResource(session, commentStatements, fields, () => readParent(session, parent));
}

/** Changes a comment. @throws ApiError 403 for another user than its author, 422 for unusable mentions that the change adds */
function changeComment(
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

const BASE_PATH = '/external/comment';

/** The comments on tasks, vendors and requirements. Contract, sections 18 and 27. */
export const comment = router({
  create: resourceProcedure(commentResource, 'write')
    .meta({
      mcp: MCP.create,
      operations: parentOperations(commentResource, 'write', newCommentShape, openapi.create, ofComment),
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item` },
    })
    .input(NewComment)
    .output(CommentOutput)
    .mutation(({ ctx, input }) => createComment(ctx.session, input)),

  list: resourceProcedure(commentResource, 'read')
    .meta({ mcp: MCP.list, operations: parentOperations(commentResource, 'read', pagination, openapi.list) })
    .input(CommentQuery)
    .output(pageOutput(CommentOutput))
    .query(({ ctx: { session }, input: { limit, cursor, ...parent } }) =>
      listChildren(session, commentStatements, namedParent(parent), { limit, cursor }, () =>
        readParent(session, parent),
      ),
    ),

  get: resourceProcedure(commentResource, 'read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/{comment}/item`, ...openapi.get },
    })
    .input(CommentId)
    .output(CommentOutput)
    .query(({ ctx, input }) => actions.read(ctx.session, input.comment)),

  update: changeProcedure(commentResource, 'write')
    .meta({
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{comment}/edit`, ...openapi.update, errorResponses: [409, 422] },
    })
    .input(CommentChanges)
    .output(CommentOutput)
    .mutation(({ ctx, input }) => changeComment(ctx.session, input, ctx.ifMatch)),

  delete: changeProcedure(commentResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{comment}/delete`, ...openapi.delete, errorResponses: [409] },
    })
    .input(CommentId)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.comment, ctx.ifMatch)),
});
