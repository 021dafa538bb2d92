import { z } from 'zod';
import { commentResource } from '../../entities/comment/comment.ts';
import { commentStatements } from '../../entities/comment/statements.ts';
import { ifMatchOf } from '../core/entity-tag.ts';
import { listChildren } from '../core/resource.ts';
import { resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentOperations, readParentFramework } from '../parent/parent.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { MCP, openapi } from './openapi.ts';
import {
  CommentChanges,
  CommentDeletion,
  CommentId,
  CommentOutput,
  CommentQuery,
  CommentUpdate,
  NewComment,
  TaggedComment,
  newCommentShape,
  ofComment,
} from './schemas.ts';
import { actions, changeComment, createComment } from './write.ts';

const BASE_PATH = '/external/comment';
const response = { kind: 'json', hasEntityTag: true } as const;

/** The comments on tasks and vendors. Contract, section 18. */
export const comment = router({
  create: resourceProcedure(commentResource, 'write')
    .meta({
      mcp: MCP.create,
      operations: parentOperations(commentResource, 'write', newCommentShape, openapi.create, ofComment),
      response: { ...response, location: `${BASE_PATH}/{uniqueId}/item` },
      rest: { output: CommentOutput },
    })
    .input(NewComment)
    .output(TaggedComment)
    .mutation(({ ctx, input }) => createComment(ctx.session, input)),

  list: resourceProcedure(commentResource, 'read')
    .meta({ mcp: MCP.list, operations: parentOperations(commentResource, 'read', pagination, openapi.list) })
    .input(CommentQuery)
    .output(pageOutput(CommentOutput))
    .query(({ ctx: { session }, input: { limit, cursor, ...parent } }) =>
      listChildren(session, commentStatements, namedParent(parent), { limit, cursor }, () =>
        readParentFramework(session, parent),
      ),
    ),

  get: resourceProcedure(commentResource, 'read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/{comment}/item`, ...openapi.get },
      response,
      rest: { output: CommentOutput },
    })
    .input(CommentId)
    .output(TaggedComment)
    .query(({ ctx, input }) => actions.read(ctx.session, input.comment)),

  update: resourceProcedure(commentResource, 'write')
    .meta({
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{comment}/edit`, ...openapi.update, errorResponses: [422] },
      response,
      rest: { input: CommentChanges, output: CommentOutput },
    })
    .input(CommentUpdate)
    .output(TaggedComment)
    .mutation(({ ctx, input: { ifMatch, ...changes } }) =>
      changeComment(ctx.session, changes, ifMatchOf(ctx, ifMatch)),
    ),

  delete: resourceProcedure(commentResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{comment}/delete`, ...openapi.delete },
      rest: { input: CommentId },
    })
    .input(CommentDeletion)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.comment, ifMatchOf(ctx, input.ifMatch))),
});
