import { z } from 'zod';
import { MAX_MENTIONS, commentResource } from '../../entities/comment/comment.ts';
import { ParentOutput, ofParent } from '../parent/parent.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  changeMetadataOutput,
  expected,
  textOutput,
  uniqueIdInput,
  uniqueIdOutput,
  userIdInput,
} from '../../entities/fields/schemas.ts';
import { HTML_OUTPUT, requiredHtml } from '../../entities/fields/html/input.ts';
import { pagination } from '../schemas/pagination.ts';
import { changesShape, createShape, outputShape } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

const EXAMPLE_TEXT = '<p>Done for <b>all</b> systems.</p>';

/** Every field of a comment. */
const commentFields = {
  text: {
    input: requiredHtml(commentResource.maxLengths.text).meta({ examples: [EXAMPLE_TEXT] }),
    output: textOutput(commentResource.maxLengths.text, EXAMPLE_TEXT, HTML_OUTPUT),
  },
  mentions: {
    input: z
      .array(userIdInput('An active member who may see the task or vendor'), expected('an array of uniqueIds'))
      .meta({
        description: `Replaces all mentions. Active members who may see the task or vendor, each once, at most ${MAX_MENTIONS}.`,
        maxItems: MAX_MENTIONS,
        examples: [[]],
      }),
    output: z
      .array(ActorOutput)
      .meta({ maxItems: MAX_MENTIONS, description: 'Members whom the comment notifies', examples: [[]] }),
  },
};

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
    resource: ParentOutput.meta({ description: 'Task or vendor that the comment is on' }),
    ...outputShape(commentFields),
    ...changeMetadataOutput,
  })
  .meta({ id: 'Comment', description: 'A comment on a task or a vendor' });
