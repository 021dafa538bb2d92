import { z } from 'zod';
import { violates } from '../../database/errors.ts';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_COMMENTS, REPLY_CONSTRAINT, commentResource, commentStatements } from '../../entities/comment/comment.ts';
import { RESOLVED, pageComments, pageQuestions, setResolved } from '../../entities/comment/questions.ts';
import { LAST_ID, newUniqueId } from '../../entities/ids.ts';
import { isAdmin } from '../../entities/principal.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { createResource, listChildren, resourceActions } from '../core/resource.ts';
import { changeProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentFields, parentOperations, readParent } from '../parent/parent.ts';
import { readPage } from '../schemas/cursor.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';
import {
  AllCommentsQuery,
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
const RESOLVERS =
  'Its author, auditors and admins may do this. Repeating it changes nothing. Only questions can be resolved (else 409).';

/** Operations below each kind of parent, and texts of the others, in the OpenAPI document. */
const openapi = {
  create: (noun: string) => ({
    method: 'POST' as const,
    path: '/comment/new' as const,
    ...operation(
      `create${nounOf(noun)}Comment`,
      `Comment on a ${noun}`,
      `The ${noun} itself does not change. A question can be replied to and resolved. A ${noun} has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`,
    ),
    errorResponses: [404, 422],
  }),
  list: (noun: string) => ({
    method: 'GET' as const,
    path: '/comment/list' as const,
    ...operation(`list${nounOf(noun)}Comments`, `List the comments on a ${noun}`, 'Oldest first.'),
  }),
  listAll: operation(
    'listComments',
    'List the comments on all tasks, vendors and requirements',
    'Newest first: all that the read scopes and the frameworks of the key allow. Needs `task:read` or `vendor:read`.',
  ),
  get: operation('getComment', 'Read a comment', 'Needs the read scope of the task, vendor or requirement.'),
  update: operation(
    'updateComment',
    'Change a comment',
    `Only its author may change it. Omitted fields keep their value. ${RIGHTS}`,
  ),
  resolve: operation('resolveQuestion', 'Resolve a question', `${RESOLVERS} ${RIGHTS}`),
  reopen: operation('reopenQuestion', 'Reopen a question', `${RESOLVERS} ${RIGHTS}`),
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

/**
 * Comments on an object.
 * @throws ApiError 404 without it, 422 for unusable mentions, for a reply to no question on it, and for too many comments
 */
async function createComment(
  session: Session,
  { text, mentions: mentionIds, kind, replyTo, ...parent }: z.infer<typeof NewComment>,
) {
  const invalid = commentResource.validate({ mentionIds });
  if (invalid !== undefined) {
    await readParent(session, parent);
    throw invalid;
  }
  const fields = { ...parentFields(parent), uniqueId: newUniqueId(), text, mentionIds, kind, replyTo };
  return createResource(session, commentStatements, fields, () => readParent(session, parent)).catch(
    (error: unknown) => {
      throw violates(error, REPLY_CONSTRAINT)
        ? new ApiError('unprocessable', 'replyTo: expected a question on the same object')
        : error;
    },
  );
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

const { update: updateResolved } = resourceActions({ ...commentStatements, resource: RESOLVED, update: setResolved });

/** Resolves a question, or reopens it. @throws ApiError 403 for a principal who may not, 409 for a comment */
function resolveQuestion(session: Session, uniqueId: string, isResolved: boolean, ifMatch: IfMatch) {
  const { principal } = session;
  const ofAll = principal.role === 'auditor' || isAdmin(principal);
  return updateResolved(
    session,
    { uniqueId, ifMatch, isResolved, ofAll },
    { isResolved },
    ({ createdBy, kind, resolved }, changes) => {
      if (!ofAll && createdBy.uniqueId !== principal.user.uniqueId)
        throw new ApiError('forbidden', 'comment: only its author, an auditor or an admin may resolve or reopen it');
      if (kind !== 'question')
        throw new ApiError('conflict', 'comment: is not a question; only a question can be resolved');
      return { isResolved: changes.isResolved ?? resolved !== null };
    },
  );
}

/** A page of the comments of the company that the principal reaches. */
async function listAllComments(
  session: Session,
  { limit, cursor, kind, resolved, author }: z.infer<typeof AllCommentsQuery>,
) {
  const filters = { kind: kind ?? null, resolved: resolved ?? null, author: author ?? null };
  const statement = kind === 'question' || resolved !== undefined ? pageQuestions : pageComments;
  const { rows, nextCursor } = await readPage(session, {
    list: ['comment.list-all', filters],
    request: { limit, cursor },
    fetch: ([beforeId = LAST_ID], maxRows) => session.run(statement, { ...filters, beforeId, limit: maxRows }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(commentStatements.toRecord), nextCursor };
}

const BASE_PATH = '/external/comment';

/** The comments on tasks, vendors and requirements. Contract, sections 18, 27 and 28. */
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

  listAll: resourceProcedure(commentResource, 'read')
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.listAll } })
    .input(AllCommentsQuery)
    .output(pageOutput(CommentOutput))
    .query(({ ctx, input }) => listAllComments(ctx.session, input)),

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

  resolve: changeProcedure(commentResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${BASE_PATH}/{comment}/resolve`, ...openapi.resolve, errorResponses: [409] },
    })
    .input(CommentId)
    .output(CommentOutput)
    .mutation(({ ctx, input }) => resolveQuestion(ctx.session, input.comment, true, ctx.ifMatch)),

  reopen: changeProcedure(commentResource, 'write')
    .meta({
      mcp: { description: '' },
      openapi: { method: 'POST', path: `${BASE_PATH}/{comment}/reopen`, ...openapi.reopen, errorResponses: [409] },
    })
    .input(CommentId)
    .output(CommentOutput)
    .mutation(({ ctx, input }) => resolveQuestion(ctx.session, input.comment, false, ctx.ifMatch)),

  delete: changeProcedure(commentResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{comment}/delete`, ...openapi.delete, errorResponses: [409] },
    })
    .input(CommentId)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.comment, ctx.ifMatch)),
});
