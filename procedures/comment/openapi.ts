import { MAX_COMMENTS } from '../../entities/comment/comment.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';

const text = operationTexts('Comments');
const RIGHTS = 'Needs the write scope of the task or vendor.';

/** Operations below a task or a vendor, and texts of the others, in the OpenAPI document. */
export const openapi = {
  create: (noun: string) => ({
    method: 'POST' as const,
    path: '/comment/new' as const,
    ...text(
      `create${nounOf(noun)}Comment`,
      `Comment on a ${noun}`,
      `The ${noun} itself does not change. A ${noun} has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`,
    ),
    errorResponses: [404, 422],
  }),
  list: (noun: string) => ({
    method: 'GET' as const,
    path: '/comment/list' as const,
    ...text(`list${nounOf(noun)}Comments`, `List the comments on a ${noun}`, 'Oldest first.'),
  }),
  get: text('getComment', 'Read a comment', 'Needs the read scope of the task or vendor.'),
  update: text(
    'updateComment',
    'Change a comment',
    `Only its author may change it. Omitted fields keep their value. ${RIGHTS}`,
  ),
  delete: text(
    'deleteComment',
    'Delete a comment',
    `Only its author and admins may delete it. The audit log keeps it. ${RIGHTS}`,
  ),
};

/** Texts for models, of procedures with an operation for each kind of parent. */
export const MCP = {
  create: { title: 'Comment on a task or a vendor', description: 'Takes either `taskUniqueId` or `vendor`.' },
  list: {
    title: 'List the comments on a task or a vendor',
    description: 'Takes either `taskUniqueId` or `vendor`. Oldest first.',
  },
};
