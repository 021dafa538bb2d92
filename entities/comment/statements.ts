import { memberUsable } from '../schema/people.ts';
import { defineStatement } from '../statements/define-statement.ts';
import { resourceStatements } from '../statements/resource.ts';
import { commentResource } from './comment.ts';

/** Query for the mentions that are not of active members who may see the framework. @param present SQL of those that stay */
const unusableMentions = (company: string, ids: string, framework: string, present = `'{}'`) =>
  `select given.id from unnest(${ids}::uuid[]) given (id)
    where given.id <> all(${present}::uuid[]) and not ${memberUsable(company, 'given.id', framework)}`;

type Types = NonNullable<(typeof commentResource)['~fields']>;

/** In an update, `isValid` tells if the mentions obey `validateMentions`. */
export const commentStatements = resourceStatements<
  Types['created'],
  Types['fields'],
  ReturnType<typeof commentResource.deriveFields>,
  { isValid: boolean },
  Types['readOnly']
>(commentResource, {
  insertConditions: ({ company, mentionIds }, framework) => [
    `not exists (${unusableMentions(company, mentionIds, framework)})`,
  ],
  updateConditions: ({ company, mentionIds, isValid }) => [
    `${isValid}::boolean`,
    `not exists (${unusableMentions(company, mentionIds, 'comment.framework_id', 'comment.mentions')})`,
  ],
});

/** Those of the mentions that cannot be used for a comment in a framework. */
export const findUnusableMentions = defineStatement<
  { framework: number; mentionIds: readonly string[] },
  { id: string }
>('comment.unusable-mentions', ({ company, framework, mentionIds }) =>
  unusableMentions(company, mentionIds, `${framework}::int`),
);
