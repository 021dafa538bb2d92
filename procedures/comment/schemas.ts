import { z } from 'zod';
import { COMMENT_KINDS, commentResource } from '../../entities/comment/comment.ts';
import {
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  enumInput,
  uniqueIdInput,
  uniqueIdOutput,
  userIdInput,
} from '../../entities/fields/schemas.ts';
import { ParentOutput, ofParent } from '../parent/parent.ts';
import { pagination } from '../schemas/pagination.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

const { text, mentionIds } = commentResource.schemas;
const { kind, replyTo } = commentResource.createdSchemas;
/** The public name of the mentions has no `Id`, as responses show them under it. */
const commentFields = { text, mentions: mentionIds };

export const newCommentShape = createShape(
  { ...commentFields, kind, replyTo },
  { mentions: commentResource.defaults.mentionIds, kind: 'comment', replyTo: null },
);

/** Unknown fields of a comment in a request. */
export const ofComment = unknownFields(() => ({ shown: CommentOutput.shape }));

export const NewComment = ofParent(newCommentShape, ofComment);

export const CommentQuery = ofParent(pagination);

export const AllCommentsQuery = z.strictObject({
  ...pagination,
  kind: enumInput(COMMENT_KINDS).meta({ description: 'Only comments of this kind' }).optional(),
  resolved: booleanInput
    .meta({ description: 'Only questions: true for resolved ones, false for open ones' })
    .optional(),
  author: userIdInput('uniqueId of the author').optional(),
});

export const CommentId = z.strictObject({
  comment: uniqueIdInput('The comment’s uniqueId', EXAMPLE_IDS.comment),
});

export const CommentChanges = z.strictObject({ ...CommentId.shape, ...changesShape(commentFields) }, ofComment);

export const CommentOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    resource: ParentOutput.meta({ description: 'Task, vendor or requirement that the comment is on' }),
    ...outputShape({ kind, replyTo, ...commentFields }),
    resolved: commentResource.readOnlySchemas.resolved.output,
    ...changeMetadataOutput,
  })
  .meta({ id: 'Comment', description: 'A comment or a question on a task, a vendor or a requirement' });
