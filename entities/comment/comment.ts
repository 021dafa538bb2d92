import { defineEntity, p } from '@mikro-orm/core';
import { z } from 'zod';
import { requiredHtml } from '../fields/html.ts';
import { describeInput, plainColumn } from '../fields/kind.ts';
import { belongsTo, people } from '../fields/references.ts';
import { ActorOutput, timestampOutput, uniqueIdOf, uniqueIdOutput } from '../fields/schemas.ts';
import { oneOf } from '../fields/values.ts';
import { Requirement, requirementResource } from '../requirement/requirement.ts';
import { resourceTriggers } from '../schema/access.ts';
import type { StoredAct } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, lockTrigger, unlessReceiving } from '../schema/triggers.ts';
import { Task, taskResource } from '../task/task.ts';
import { Vendor, vendorResource } from '../vendor/vendor.ts';
import { resourceStatements } from '../statements/resource.ts';

const MAX_MENTIONS = 20;
/** Maximum number of comments on a task, vendor or requirement. */
export const MAX_COMMENTS = 1000;

export const COMMENT_KINDS = ['comment', 'question'] as const;

/** Constraint of the error for a reply to something that is not a question on the same object. */
export const REPLY_CONSTRAINT = 'comment_reply_to';

const REPLY_TO = { description: 'The question that it replies to, on the same object', forModels: 'A question on it' };

/** The question that a comment replies to. It may be deleted: then events alone show it. */
const replyTo = {
  ...plainColumn(p.uuid().nullable(), 'none'),
  input: describeInput(uniqueIdOf('comment').nullable(), REPLY_TO, { format: 'uuid' }),
  output: uniqueIdOutput.nullable().meta({ description: `${REPLY_TO.description}; null if that was deleted` }),
};

/** SQL of the question that a comment replies to, if it exists. */
const existingQuestion = (alias: string) => `case when ${alias}.reply_to is not null then (
    select q.unique_id from comment q where q.company_id = ${alias}.company_id and q.unique_id = ${alias}.reply_to) end`;

const resolved = {
  ...plainColumn(p.json<StoredAct>().nullable(), 'identifier', {
    suffix: '',
    condition: (stored) => `${stored} ?& ARRAY['at'::text, 'by'::text]`,
  }),
  output: z
    .object({
      at: timestampOutput.meta({ description: 'Time at which it was resolved, in UTC' }),
      by: ActorOutput.meta({ description: 'User who resolved it' }),
    })
    .nullable()
    .meta({ description: 'Set for a question that is resolved; null for an open one and for a comment' }),
};

const EXAMPLE_TEXT = '<p>Who approved the <b>exceptions</b>?</p>';

export const commentResource = defineResource({
  type: 'comment',
  name: null,
  access: {
    of: { taskUniqueId: taskResource, vendor: vendorResource, requirement: requirementResource },
    byAuthor: true,
    forAuditors: true,
    max: MAX_COMMENTS,
  },
  created: {
    taskUniqueId: belongsTo(Task, 'task').nullable(),
    vendor: belongsTo(Vendor, 'vendor').nullable(),
    requirement: belongsTo(Requirement, 'requirement').nullable(),
    kind: oneOf(COMMENT_KINDS, {
      description: 'A `question` can be replied to and resolved. It never changes.',
      forModels: null,
      example: 'question',
      input: { example: 'question' },
    }).default('comment'),
    replyTo,
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
  readOnly: { resolved },
  lookups: {
    replyTo: {
      now: existingQuestion,
      creation: (alias: string) => `${alias}.reply_to`,
      past: (alias: string) => `${alias}.reply_to`,
    },
  },
  people: { mentions: 'mentionIds', resolved: 'resolved' },
  verbs: { resolved: 'resolve/reopen' },
});

/** Index of the comments on one kind of parent, oldest first: UUIDv7 ids ascend with time. */
const indexOf = (parent: string) =>
  `create index comment_by_${parent} on comment (company_id, ${parent}_id, unique_id) where ${parent}_id is not null`;

/** For lists of questions, which are few among the comments. */
const QUESTION_INDEX = `create index comment_question on comment (company_id, unique_id) where kind = 'question'::text`;

const commentSchema = defineEntity({
  name: 'Comment',
  properties: { ...companyKeyWithoutForeignKey, ...commentResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'comment_by_task', expression: indexOf('task') },
    { name: 'comment_by_vendor', expression: indexOf('vendor') },
    { name: 'comment_by_requirement', expression: indexOf('requirement') },
    { name: 'comment_question', expression: QUESTION_INDEX },
  ],
  checks: [
    ...commentResource.checks,
    { name: 'comment_question_resolved', expression: `resolved IS NULL OR kind = 'question'::text` },
  ],
  triggers: [
    ...resourceTriggers(commentResource),
    lockTrigger('comment', ['text', 'mentions'], 'old.task_id is not null'),
    defineTrigger(
      'comment_check_reply',
      'before',
      ['insert', 'update of reply_to'],
      'comment',
      'row',
      'check_reply()',
      {
        when: `new.reply_to is not null and ${unlessReceiving('comment')}`,
      },
    ),
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
