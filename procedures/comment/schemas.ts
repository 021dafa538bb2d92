import { z } from 'zod';
import { commentResource } from '../../entities/comment/comment.ts';
import { EXAMPLE_IDS, changeMetadataOutput, uniqueIdInput, uniqueIdOutput } from '../../entities/fields/schemas.ts';
import { ParentOutput, ofParent } from '../parent/parent.ts';
import { pagination } from '../schemas/pagination.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

const { text, mentionIds } = commentResource.schemas;
/** The public name of the mentions has no `Id`, as responses show them under it. */
const commentFields = { text, mentions: mentionIds };

export const newCommentShape = createShape(commentFields, { mentions: commentResource.defaults.mentionIds });

/** Unknown fields of a comment in a request. */
export const ofComment = unknownFields(() => ({ shown: CommentOutput.shape }));

export const NewComment = ofParent(newCommentShape, ofComment);

export const CommentQuery = ofParent(pagination);

export const CommentId = z.strictObject({
  comment: uniqueIdInput('The comment’s uniqueId', EXAMPLE_IDS.comment),
});

export const CommentChanges = z.strictObject({ ...CommentId.shape, ...changesShape(commentFields) }, ofComment);

export const CommentOutput = z
  .object({
    uniqueId: uniqueIdOutput,
    resource: ParentOutput.meta({ description: 'Task, vendor or requirement that the comment is on' }),
    ...outputShape(commentFields),
    ...changeMetadataOutput,
  })
  .meta({ id: 'Comment', description: 'A comment on a task, a vendor or a requirement' });
