import { z } from 'zod';
import { commentResource, commentStatements } from '../../entities/comment/comment.ts';
import { listChildren } from '../core/resource.ts';
import { changeProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentOperations, readParent } from '../parent/parent.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { MCP, openapi } from './openapi.ts';
import {
  CommentChanges,
  CommentId,
  CommentOutput,
  CommentQuery,
  NewComment,
  newCommentShape,
  ofComment,
} from './schemas.ts';
import { actions, changeComment, createComment } from './write.ts';

const BASE_PATH = '/external/comment';

/** The comments on tasks and vendors. Contract, section 18. */
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
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{comment}/edit`, ...openapi.update, errorResponses: [422] },
    })
    .input(CommentChanges)
    .output(CommentOutput)
    .mutation(({ ctx, input }) => changeComment(ctx.session, input, ctx.ifMatch)),

  delete: changeProcedure(commentResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{comment}/delete`, ...openapi.delete },
    })
    .input(CommentId)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.comment, ctx.ifMatch)),
});
