import { defineEntity } from '@mikro-orm/core';
import { requiredHtml } from '../fields/html.ts';
import { belongsTo, people } from '../fields/references.ts';
import { Requirement, requirementResource } from '../requirement/requirement.ts';
import { resourceTriggers } from '../schema/access.ts';
import { defineResource } from '../schema/resource.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../schema/tenancy.ts';
import { lockTrigger } from '../schema/triggers.ts';
import { Task, taskResource } from '../task/task.ts';
import { Vendor, vendorResource } from '../vendor/vendor.ts';
import { resourceStatements } from '../statements/resource.ts';

const MAX_MENTIONS = 20;
/** Maximum number of comments on a task, vendor or requirement. */
export const MAX_COMMENTS = 1000;

const EXAMPLE_TEXT = '<p>Done for <b>all</b> systems.</p>';

export const commentResource = defineResource({
  type: 'comment',
  name: null,
  access: {
    of: { taskUniqueId: taskResource, vendor: vendorResource, requirement: requirementResource },
    byAuthor: true,
    max: MAX_COMMENTS,
  },
  created: {
    taskUniqueId: belongsTo(Task, 'task').nullable(),
    vendor: belongsTo(Vendor, 'vendor').nullable(),
    requirement: belongsTo(Requirement, 'requirement').nullable(),
  },
  fields: {
    text: requiredHtml(10_000, { input: { example: EXAMPLE_TEXT }, example: EXAMPLE_TEXT }),
    mentions: people(MAX_MENTIONS, {
      description: 'Members whom the comment notifies',
      input: {
        description: `Replaces all mentions. Active members who may see the task, vendor or requirement, each once, at most ${MAX_MENTIONS}.`,
        example: [],
      },
      example: [],
      id: 'An active member who may see the task, vendor or requirement',
      several: 'expected active members who may see it; cannot be mentioned',
    }),
  },
  people: { mentions: 'mentionIds' },
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
    { name: 'comment_by_requirement', expression: indexOf('requirement') },
  ],
  checks: commentResource.checks,
  triggers: [
    ...resourceTriggers(commentResource),
    lockTrigger('comment', ['text', 'mentions'], 'old.task_id is not null'),
  ],
});

/** A text of a user about a task, a vendor or a requirement. */
export class Comment extends commentSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = commentResource;
}
commentSchema.setClass(Comment);

type Types = NonNullable<(typeof commentResource)['~fields']>;

/** In an update, `isValid` tells if the mentions may be in a row. */
export const commentStatements = resourceStatements<
  Types['created'],
  Types['fields'],
  ReturnType<typeof commentResource.deriveFields>,
  { isValid: boolean },
  Types['readOnly']
>(commentResource, {
  updateConditions: ({ isValid }) => [`${isValid}::boolean`],
});
