import { defineEntity, p } from '@mikro-orm/core';
import { ApiError } from '../api-error.ts';
import { parentChecks, resourceTriggers } from '../schema/access.ts';
import { defineResource } from '../schema/resource.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { Task, taskResource } from '../task/task.ts';
import { Vendor, vendorResource } from '../vendor/vendor.ts';

export const MAX_MENTIONS = 20;
/** Maximum number of comments on a task or vendor. */
export const MAX_COMMENTS = 1000;

export const commentResource = defineResource({
  type: 'comment',
  name: null,
  access: { of: { taskUniqueId: taskResource, vendor: vendorResource }, byAuthor: true, max: MAX_COMMENTS },
  created: {
    taskUniqueId: () => companyReference(Task, 'task_id').nullable().deleteRule('cascade'),
    vendor: () => companyReference(Vendor, 'vendor_id').nullable().deleteRule('cascade'),
  },
  fields: {
    text: p.string().length(10_000),
    mentions: p.uuid().array().columnType('uuid[]').default([]),
  },
  people: { mentions: 'mentionIds' },
  // Requests have their ids in `mentions`.
  references: {
    mentions: {
      kind: 'member',
      shownAs: 'mentions',
      several: 'expected active members who may see it; cannot be mentioned',
    },
  },
});

/** Index of the comments on one kind of parent, oldest first: UUIDv7 ids ascend with time. */
const indexOf = (parent: string) =>
  `create index comment_by_${parent} on comment (company_id, ${parent}_id, unique_id) where ${parent}_id is not null`;

const commentSchema = defineEntity({
  name: 'Comment',
  properties: { ...companyKeyWithoutForeignKey, ...commentResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'comment_by_task', expression: indexOf('task') },
    { name: 'comment_by_vendor', expression: indexOf('vendor') },
  ],
  checks: [
    ...parentChecks(commentResource),
    { name: 'comment_text_not_empty', expression: `text::text <> ''::text` },
    {
      name: 'comment_mentions',
      expression: `cardinality(mentions) <= ${MAX_MENTIONS} AND array_position(mentions, NULL::uuid) IS NULL`,
    },
  ],
  triggers: resourceTriggers(commentResource),
});

/** A text of a user about a task or a vendor. */
export class Comment extends commentSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = commentResource;
}
commentSchema.setClass(Comment);

/** Error 422 if the mentions are too many, or name a member twice. */
export function validateMentions(ids: readonly string[]): ApiError | undefined {
  if (ids.length > MAX_MENTIONS) return new ApiError('unprocessable', `mentions: expected at most ${MAX_MENTIONS}`);
  if (new Set(ids).size < ids.length) return new ApiError('unprocessable', 'mentions: expected each member once');
  return undefined;
}
